#include "ui/gpus/gpu_bars.h"

#include "ui/gpus/gpu_bar.h"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace ui {
namespace {

bool isOurs(const launcher::GpuProcess& process, const RunsModel& runs)
{
    return !process.run.empty() && runs.entry(QString::fromStdString(process.run));
}

GpuShares sharesOf(const launcher::Gpu& gpu, const RunsModel& runs)
{
    GpuShares shares {.ours = 0, .others = 0, .total = std::int64_t(gpu.totalBytes)};
    const auto used = std::int64_t(gpu.usedBytes());
    for (const launcher::GpuProcess& process : gpu.processes)
        shares.ours += isOurs(process, runs) ? std::int64_t(process.bytes) : 0;
    shares.ours = std::min(shares.ours, used);
    shares.others = used - shares.ours;  // also what the driver itself keeps
    return shares;
}

}  // namespace

GpuBars::GpuBars(GpuWatch& watch, const RunsModel& runs, QWidget* parent)
    : QWidget(parent)
    , m_watch(watch)
    , m_runs(runs)
    , m_layout(new QHBoxLayout(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("gpuBars"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    m_note->setObjectName(QStringLiteral("gpuSilence"));
    m_note->hide();
    m_layout->setContentsMargins(4, 0, 4, 0);
    m_layout->setSpacing(2);
    m_layout->addWidget(m_note);
    connect(&m_watch, &GpuWatch::answered, this, &GpuBars::showList);
    connect(&m_watch, &GpuWatch::late, this, &GpuBars::showSilence);
    connect(&m_runs, &RunsModel::runsChanged, this, [this] {  // which of the ranks are ours
        if (m_watch.silence().isEmpty())
            showList();
    });
}

QString GpuBars::silence() const { return m_note->text(); }

void GpuBars::showList()
{
    const std::vector<launcher::Gpu>& gpus = m_watch.list().gpus;
    const bool wasAvailable = !m_bars.empty();
    while (m_bars.size() > gpus.size()) {
        delete m_bars.back();
        m_bars.pop_back();
    }
    while (m_bars.size() < gpus.size())
        m_bars.push_back(addBar());
    for (std::size_t i = 0; i < gpus.size(); ++i)
        m_bars[i]->setGpu(gpus[i], sharesOf(gpus[i], m_runs));
    m_note->clear();
    m_note->hide();
    if (wasAvailable == m_bars.empty())
        Q_EMIT availableChanged(!wasAvailable);
}

/// Old numbers are not shown: they would look like new ones.
void GpuBars::showSilence()
{
    const QString silence = m_watch.silence();
    for (GpuBar* const bar : m_bars)
        bar->setSilence(silence);
    m_note->setText(silence.section(QLatin1String(": "), 0, 0));  // the reason is in the tooltips
    m_note->setToolTip(m_bars.empty() ? QString() : m_bars.front()->toolTip());
    m_note->setVisible(!silence.isEmpty() && !m_bars.empty());
}

GpuBar* GpuBars::addBar()
{
    auto* const bar = new GpuBar(this);
    m_layout->addWidget(bar);
    connect(bar, &GpuBar::clicked, this, [this, place = m_bars.size()] { choose(place); });
    return bar;
}

void GpuBars::choose(std::size_t place)
{
    const launcher::Gpu& gpu = m_watch.list().gpus[place];
    const auto ours = std::ranges::find_if(gpu.processes, [this](const launcher::GpuProcess& process) { return isOurs(process, m_runs); });
    Q_EMIT chosen(gpu.index, ours == gpu.processes.end() ? QString() : QString::fromStdString(ours->run));
}

}  // namespace ui

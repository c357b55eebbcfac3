#include "ui/queue/queue_plan_view.h"

#include "launcher/remote/protocol.h"
#include "launcher/scheduler/queue_outlook.h"
#include "ui/base/background.h"
#include "ui/language/outside_text.h"
#include "ui/queue/plan_axis.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QStyle>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kPlanInterval = 5s;

std::chrono::milliseconds timeIn(const QJsonValue& seconds)
{
    constexpr double kLongest = 1e9;  // s, beyond which a number is no time
    return std::chrono::milliseconds(std::llround(1000 * std::clamp(seconds.toDouble(), -kLongest, kLongest)));
}

/// What `atelier queue --plan --json` has printed. Entries that name no run are left out.
std::vector<launcher::PlanBar> barsIn(const std::string& document)
{
    using enum launcher::PlanBar::Kind;
    std::vector<launcher::PlanBar> bars;
    const QJsonArray entries = QJsonDocument::fromJson(QByteArray::fromStdString(document)).array();
    for (const QJsonValue& entry : entries) {
        const QString kind = entry["kind"].toString();
        launcher::PlanBar bar {.run = entry["run"].toString().toStdString(),
            .kind = kind == QLatin1String("active") ? Active : kind == QLatin1String("held") ? Held : kind == QLatin1String("never_fits") ? NeverFits : Waiting,
            .isUrgent = entry["urgent"].toBool(), .start = timeIn(entry["start_seconds"]), .isStartKnown = entry["start_known"].toBool(),
            .basis = entry["basis"].toString().toStdString()};
        if (entry["end_seconds"].isDouble())
            bar.end = timeIn(entry["end_seconds"]);
        if (launcher::isRunName(bar.run))
            bars.push_back(std::move(bar));
    }
    return bars;
}

}  // namespace

QueuePlanView::QueuePlanView(QueueWatch& watch, const RunsModel& runs, QWidget* parent)
    : QWidget(parent)
    , m_watch(watch)
    , m_runs(runs)
    , m_model(new QueuePlanModel(runs, this))
    , m_table(new QTreeView)
    , m_empty(new QLabel(tr("No run is active, and none waits."), this))
{
    m_table->setObjectName(QStringLiteral("queuePlan"));
    m_table->setAccessibleName(tr("Plan of the queue"));
    m_table->setModel(m_model);
    auto* const header = new PlanHeader(*m_model, m_table);
    m_table->setHeader(header);
    m_table->setItemDelegateForColumn(QueuePlanModel::Bar, new PlanBarDelegate(*m_model, m_table));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    header->setStretchLastSection(true);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    for (const auto& [column, digits] : {std::pair(QueuePlanModel::Run, 15), std::pair(QueuePlanModel::State, 13), std::pair(QueuePlanModel::Starts, 14),
             std::pair(QueuePlanModel::Ends, 14)})
        header->resizeSection(column, digits * digit);
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
    layout->addWidget(m_empty);
    m_empty->setObjectName(QStringLiteral("queuePlanNote"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->hide();
    setFocusProxy(m_table);
    connect(&m_watch, &QueueWatch::changed, this, &QueuePlanView::plan);
    connect(&m_timer, &QTimer::timeout, this, &QueuePlanView::plan);
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& index) { Q_EMIT runChosen(m_model->runId(index.row())); });
}

void QueuePlanView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // The bars get what the others leave; where that is little, the last column is found by scrolling.
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    int others = m_table->style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    for (const int column : {QueuePlanModel::Run, QueuePlanModel::State, QueuePlanModel::Starts, QueuePlanModel::Ends})
        others += m_table->header()->sectionSize(column);
    const bool isWide = width() - others >= 64 * digit;
    m_table->header()->resizeSection(QueuePlanModel::Bar, std::max(30 * digit, width() - others - (isWide ? 36 * digit : 0)));
}

void QueuePlanView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_timer.start(kPlanInterval);
    plan();
}

void QueuePlanView::hideEvent(QHideEvent* event)
{
    m_timer.stop();
    QWidget::hideEvent(event);
}

void QueuePlanView::plan()
{
    if (!isVisible())
        return;
    m_isOutdated = m_isPlanning;
    if (m_isPlanning)
        return;
    m_isPlanning = true;
    if (m_watch.mirror())
        return planThere();
    std::vector<std::string> active;
    for (const RunEntry& run : m_runs.entries()) {
        if (run.isActive() && run.status->place.empty())  // those in Slurm take no place here
            active.push_back(run.row.id);
    }
    const auto work = [home = m_watch.home(), queue = m_watch.state().queue, active] {
        return launcher::planQueue(launcher::outlook(home, queue, active));
    };
    inBackground(this, work, [this](const std::vector<launcher::PlanBar>& bars) { showPlan(bars); });
}

/// The machine knows which of its runs are active, and what they have.
void QueuePlanView::planThere()
{
    m_watch.mirror()->execute({"queue", "--plan", "--json"}, this, [this](const launcher::CommandReply& reply) {
        m_empty->setText(reply.isAccepted ? tr("No run is active, and none waits.") : translatedSentence(reply.error));
        showPlan(reply.isAccepted ? barsIn(reply.output) : std::vector<launcher::PlanBar>());
    });
}

void QueuePlanView::showPlan(const std::vector<launcher::PlanBar>& bars)
{
    m_isPlanning = false;
    m_model->setPlan(bars, QDateTime::currentMSecsSinceEpoch());
    m_table->setVisible(!bars.empty());
    m_empty->setVisible(bars.empty());
    Q_EMIT planned();
    if (std::exchange(m_isOutdated, false))
        plan();
}

}  // namespace ui

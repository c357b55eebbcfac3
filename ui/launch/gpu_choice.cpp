#include "ui/launch/gpu_choice.h"

#include "engine/contract/experiment/gpu_names.h"
#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

enum GpuColumn { GpuName, FreeMemory, UsedBy, GpuColumnCount };

constexpr int kMostRows = 6;  // more scroll

QString usersOf(const launcher::Gpu& gpu)
{
    QStringList users;
    for (const launcher::GpuProcess& process : gpu.processes)
        users << translatedSentence(process.words());
    return users.join(QLatin1String("; "));
}

}  // namespace

GpuChoice::GpuChoice(Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_draft(draft)
    , m_note(new QLabel(tr("Looking for GPUs…"), this))
    , m_tree(new QTreeWidget(this))
    , m_watch(draft.mirror())
{
    m_note->setObjectName(QStringLiteral("gpuNote"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_tree->setObjectName(QStringLiteral("gpus"));
    m_tree->setAccessibleName(tr("GPUs for the ranks"));
    m_tree->setRootIsDecorated(false);
    m_tree->setUniformRowHeights(true);
    m_tree->setColumnCount(GpuColumnCount);
    m_tree->setHeaderLabels({tr("GPU"), tr("Free memory"), tr("Used by")});
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tree->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_note);
    layout->addWidget(m_tree);
    connect(m_tree, &QTreeWidget::itemChanged, this, [this] {
        if (!m_isFilling)
            choose();
    });
    connect(&m_draft, &Draft::fieldsChanged, this, &GpuChoice::showChoice);
    connect(&m_watch, &GpuWatch::answered, this, [this] {
        fill();
        Q_EMIT read();
    });
    connect(&m_watch, &GpuWatch::late, this, &GpuChoice::showChoice);
}

void GpuChoice::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_watch.setActive(true);
}

void GpuChoice::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_watch.setActive(false);
}

std::vector<std::string> GpuChoice::uuids() const
{
    std::vector<std::string> all;
    std::ranges::transform(list().gpus, std::back_inserter(all), &launcher::Gpu::uuid);
    return all;
}

/// Changes the rows in place, so that the current one stays current.
void GpuChoice::fill()
{
    m_isFilling = true;
    const int count = int(list().gpus.size());
    while (m_tree->topLevelItemCount() > count)
        delete m_tree->takeTopLevelItem(count);
    for (int i = 0; i < count; ++i) {
        const launcher::Gpu& gpu = list().gpus[std::size_t(i)];
        if (i == m_tree->topLevelItemCount())
            m_tree->addTopLevelItem(new QTreeWidgetItem);
        QTreeWidgetItem* const row = m_tree->topLevelItem(i);
        const QString users = usersOf(gpu);
        row->setText(GpuName, tr("%1: %2").arg(gpu.index).arg(QString::fromStdString(gpu.name)));
        row->setToolTip(GpuName, QString::fromStdString(gpu.uuid));
        row->setText(FreeMemory, tr("%1 of %2").arg(formatBytes(qint64(gpu.freeBytes), 0), formatBytes(qint64(gpu.totalBytes), 0)));
        row->setText(UsedBy, gpu.isVisible ? users : tr("CUDA_VISIBLE_DEVICES hides it. %1").arg(users));
        row->setToolTip(UsedBy, row->text(UsedBy));
        row->setForeground(UsedBy, fadedText(palette()));
        row->setData(GpuName, Qt::AccessibleTextRole,
            tr("%1, %2 free, %3").arg(row->text(GpuName), row->text(FreeMemory), users.isEmpty() ? tr("used by nobody") : tr("used by %1").arg(users)));
    }
    const int rowHeight = count > 0 ? m_tree->sizeHintForRow(0) : 0;
    m_tree->setFixedHeight(m_tree->header()->sizeHint().height() + rowHeight * std::min(count, kMostRows) + 2 * m_tree->frameWidth() + 2);
    m_tree->setVisible(count > 0);
    m_isFilling = false;
    showChoice();
}

void GpuChoice::showChoice()
{
    const contract::Experiment& experiment = m_draft.experiment();
    const std::vector<std::string> chosen = launcher::chosenGpus(experiment, uuids());
    m_isFilling = true;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        const bool isChosen = std::ranges::find(chosen, list().gpus[std::size_t(i)].uuid) != chosen.end();
        m_tree->topLevelItem(i)->setCheckState(GpuName, isChosen ? Qt::Checked : Qt::Unchecked);
    }
    m_isFilling = false;
    const auto ranks = experiment.integer("launch.ranks");
    QString note;
    if (const QString silence = m_watch.silence(); !silence.isEmpty())
        note = silence + QLatin1Char('.');
    else if (list().gpus.empty())
        note = list().problem.empty() ? tr("Looking for GPUs…") : m_draft.mirror() ? tr("There, training runs on the CPU: %1.").arg(translatedSentence(list().problem)) : tr("Training runs on the CPU: %1.").arg(translatedSentence(list().problem));
    else if (experiment.text("run.device") == "cpu")
        note = tr("Training runs on the CPU, as the option “Device” says. Tick GPUs to train on them.");
    else if (contract::wantsFreeGpus(experiment))
        note = tr("Free GPUs: the ranks get %1 on which nobody computes when the run starts. Tick some to choose others, one for each.").arg(ranks);
    else if (chosen.empty())
        note = tr("Any GPUs: the first %1 that CUDA shows. Tick those that the ranks should get instead, one for each.").arg(ranks);
    else if (std::ranges::any_of(list().gpus, [&](const launcher::Gpu& gpu) {
                 return !gpu.processes.empty() && std::ranges::find(chosen, gpu.uuid) != chosen.end();
             }))
        note = tr("Others compute on a GPU that is ticked: training shares its memory with them and is slower.");
    else
        note = formatCounted(qint64(chosen.size()), tr("%n GPU, for one rank."), tr("%Ln GPUs, one for each rank.", nullptr, pluralCount(chosen.size())));
    m_note->setText(note);
}

void GpuChoice::choose()
{
    QStringList chosen;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        if (m_tree->topLevelItem(i)->checkState(GpuName) == Qt::Checked)
            chosen << QString::fromStdString(list().gpus[std::size_t(i)].uuid);
    }
    if (!chosen.isEmpty())
        m_draft.setField(QStringLiteral("launch.ranks"), QString::number(chosen.size()));
    if (!chosen.isEmpty() && m_draft.experiment().text("run.device") == "cpu")
        m_draft.setField(QStringLiteral("run.device"), QStringLiteral("auto"));
    m_draft.setField(QStringLiteral("launch.gpus"), chosen.join(QLatin1Char(',')));
    m_draft.finishField();
}

}  // namespace ui

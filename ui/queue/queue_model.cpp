#include "ui/queue/queue_model.h"

#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/queue/state_icon.h"

#include <QMimeData>

#include <algorithm>

namespace ui {
namespace {

constexpr char kMimeType[] = "application/x-atelier-queue";

}  // namespace

QueueModel::QueueModel(const RunsModel& runs, QObject* parent)
    : QAbstractTableModel(parent)
    , m_runs(runs)
{
}

void QueueModel::setState(const QueueState& state)
{
    const auto runsOf = [](const QueueState& of) {
        QStringList runs;
        for (const auto* list : {&of.queue.started, &of.queue.waiting}) {
            for (const launcher::QueueEntry& entry : *list)
                runs << QString::fromStdString(entry.run);
        }
        return runs;
    };
    // Rows that stay where they are keep their selection.
    const bool isSameRows = runsOf(m_state) == runsOf(state) && m_state.queue.started.size() == state.queue.started.size();
    if (!isSameRows)
        beginResetModel();
    m_state = state;
    if (!isSameRows)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

const launcher::QueueEntry* QueueModel::waiting(int row) const
{
    const int place = row - startedCount();
    return place >= 0 && row < rowCount() ? &m_state.queue.waiting[static_cast<std::size_t>(place)] : nullptr;
}

QString QueueModel::runId(int row) const
{
    const auto* const entry = waiting(row);
    return QString::fromStdString(entry ? entry->run : m_state.queue.started[static_cast<std::size_t>(row)].run);
}

int QueueModel::rowOf(const QString& runId) const
{
    const auto& entries = m_state.queue.waiting;
    const auto entry = std::ranges::find(entries, runId.toStdString(), &launcher::QueueEntry::run);
    return entry == entries.end() ? -1 : startedCount() + static_cast<int>(entry - entries.begin());
}

int QueueModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : startedCount() + static_cast<int>(m_state.queue.waiting.size());
}

int QueueModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString QueueModel::text(int row, int column) const
{
    const auto* const entry = waiting(row);
    const RunEntry* const run = m_runs.entry(runId(row));
    switch (column) {
    case Place:
        return entry ? QString::number(row - startedCount() + 1) : QString();
    case Run:
        return run ? run->name() : runId(row);
    case State:
        if (entry)
            return entry->isHeld ? tr("Held") : stateWord(launcher::RunState::Queued);
        return run && run->status ? stateWord(run->status->state) : stateWord(launcher::RunState::Starting);
    case Gpus:
        return gpus(row);
    case WaitsFor:
        return entry ? translatedSentence(m_state.reasons[static_cast<std::size_t>(row - startedCount())]) : QString();
    default:
        return {};
    }
}

/// How many it waits for, or has been given.
QString QueueModel::gpus(int row) const
{
    const auto* const entry = waiting(row);
    const std::size_t count = !entry                ? m_state.queue.started[static_cast<std::size_t>(row)].given.size()
        : entry->chosen.empty()                     ? static_cast<std::size_t>(std::max(0, entry->gpus))
                                                    : entry->chosen.size();
    return count > 0 ? QString::number(count) : QString();
}

QVariant QueueModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::DisplayRole)
        return text(index.row(), index.column());
    if (role == Qt::ToolTipRole && (index.column() == Run || index.column() == WaitsFor))
        return index.column() == Run ? runId(index.row()) : text(index.row(), WaitsFor);
    if (role == Qt::ToolTipRole && index.column() == Gpus) {
        QStringList names;
        const auto* const entry = waiting(index.row());
        for (const std::string& gpu : entry ? entry->chosen : m_state.queue.started[static_cast<std::size_t>(index.row())].given)
            names << QString::fromStdString(gpu);
        return names.join(QLatin1Char('\n'));
    }
    if (role == Qt::TextAlignmentRole && (index.column() == Place || index.column() == Gpus))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && index.column() == State) {
        const auto* const entry = waiting(index.row());
        const RunEntry* const run = m_runs.entry(runId(index.row()));
        if (entry)
            return stateIcon(entry->isHeld ? launcher::RunState::Stalled : launcher::RunState::Queued);
        return stateIcon(run && run->status ? run->status->state : launcher::RunState::Starting);
    }
    return {};
}

QVariant QueueModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QStringList titles = {tr("Place"), tr("Run"), tr("State"), tr("GPUs"), tr("Waits for")};
    return titles.value(section);
}

Qt::ItemFlags QueueModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags common = QAbstractTableModel::flags(index);
    if (!index.isValid())
        return common | Qt::ItemIsDropEnabled;
    return waiting(index.row()) ? common | Qt::ItemIsDragEnabled : common;
}

QStringList QueueModel::mimeTypes() const { return {QLatin1String(kMimeType)}; }

QMimeData* QueueModel::mimeData(const QModelIndexList& indexes) const
{
    QStringList runs;
    for (const QModelIndex& index : indexes) {
        if (index.column() == Place && waiting(index.row()))
            runs << runId(index.row());
    }
    auto* const data = new QMimeData;
    data->setData(QLatin1String(kMimeType), runs.join(QLatin1Char('\n')).toUtf8());
    return data;
}

bool QueueModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int, const QModelIndex& parent)
{
    if (action != Qt::MoveAction || !data->hasFormat(QLatin1String(kMimeType)))
        return false;
    const int before = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
    const QString runs = QString::fromUtf8(data->data(QLatin1String(kMimeType)));
    Q_EMIT dropped(runs.split(QLatin1Char('\n'), Qt::SkipEmptyParts), std::max(0, before - startedCount()));
    return false;  // the rows move when the queue's file has changed
}

}  // namespace ui

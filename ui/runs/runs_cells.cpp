// The parts of RunsModel that give the cells' texts, tooltips and sort keys.
#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/base/number_order.h"
#include "ui/base/plain_text.h"
#include "ui/runs/runs_model.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace ui {
namespace {

double progress(const RunEntry& entry)
{
    const auto total = entry.totalSteps();
    return total > 0 ? std::min(1.0, double(entry.step()) / double(total)) : 0.0;
}

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const std::string& word : words)
        list << QString::fromStdString(word);
    return list.join(QLatin1Char(' '));
}

}  // namespace

QVariant RunsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunEntry& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(entry, index.column());
    case Qt::ToolTipRole:
        return toolTip(entry, index.column());
    case Qt::TextAlignmentRole:
        return index.column() == Loss ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::AccessibleTextRole:
        return index.column() == Drawn ? (m_selection.isDrawn(entry.id()) ? tr("drawn") : tr("not drawn"))
                                       : text(entry, index.column());
    case Qt::CheckStateRole:
        return index.column() == Drawn
            ? QVariant(m_selection.isDrawn(entry.id()) ? Qt::Checked : Qt::Unchecked) : QVariant();
    case SortRole:
        return sortKey(entry, index.column());
    case IdRole:
        return entry.id();
    case StateRole:
        return entry.status ? QVariant(static_cast<int>(entry.status->state)) : QVariant();
    case ProgressRole:
        return progress(entry);
    case LookRole:
        return m_selection.isDrawn(entry.id()) ? m_selection.lookOf(entry.id()) : -1;
    case ArchivedRole:
        return entry.row.isArchived;
    case FilterRole:
        return QString(entry.id() + QLatin1Char(' ') + entry.name() + QLatin1Char(' ')
            + QString::fromStdString(entry.row.project) + QLatin1Char(' ') + joined(entry.row.tags)
            + QLatin1Char(' ') + text(entry, State).toString());
    default:
        return {};
    }
}

QVariant RunsModel::text(const RunEntry& entry, int column) const
{
    switch (column) {
    case Name:
        return entry.name();
    case State:
        return entry.status ? stateWord(entry.status->state) : tr("…");
    case Progress:
        return entry.totalSteps() > 0
            ? tr("%1 of %2").arg(formatCount(entry.step()), formatCount(entry.totalSteps()))
            : formatCount(entry.step());
    case Loss:
        return entry.row.lastLoss ? formatNumber(*entry.row.lastLoss) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? formatAge(entry.lastRecordUnixMs(), QDateTime::currentMSecsSinceEpoch()) : QString();
    case Started:
        return QLocale().toString(
            QDateTime::fromMSecsSinceEpoch(entry.row.createdUnixMs), QLocale::ShortFormat);
    default:
        return {};
    }
}

QVariant RunsModel::toolTip(const RunEntry& entry, int column) const
{
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id()) ? tr("Hide this run from the plots")
                                               : tr("Draw this run in the plots");
    case State:
        if (entry.status && !entry.status->waitsFor.empty())
            return plainToolTip(tr("Waiting: %1").arg(QString::fromStdString(entry.status->waitsFor)));
        if (entry.status && !entry.status->activity.empty())
            return plainToolTip(tr("Now: %1").arg(QString::fromStdString(entry.status->activity)));
        return plainToolTip(entry.cause());
    case Loss:
        return entry.row.lastLoss ? formatExact(*entry.row.lastLoss) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? tr("Last record: %1").arg(formatMoment(entry.lastRecordUnixMs())) : QString();
    case Started:
        return formatMoment(entry.row.createdUnixMs);
    default:
        return plainToolTip(entry.id());
    }
}

QVariant RunsModel::sortKey(const RunEntry& entry, int column) const
{
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id());
    case State:
        return entry.status ? static_cast<int>(entry.status->state) : -1;
    case Progress:
        return progress(entry);
    case Loss:
        return sortKeyOf(entry.row.lastLoss);
    case Age:
        return QVariant::fromValue<qlonglong>(entry.lastRecordUnixMs());
    case Started:
        return QVariant::fromValue<qlonglong>(entry.row.createdUnixMs);
    default:
        return entry.name();
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Drawn)
        return tr("Drawn in the plots");
    if (role == Qt::TextAlignmentRole && section == Loss)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Run");
    case State:
        return tr("State");
    case Progress:
        return tr("Progress");
    case Loss:
        return tr("Loss");
    case Age:
        return tr("Last record");
    case Started:
        return tr("Created");
    default:
        return QString();
    }
}

}  // namespace ui

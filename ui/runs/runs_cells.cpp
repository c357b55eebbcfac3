// The parts of RunsModel that give the cells' texts and tooltips.
#include "engine/contract/experiment/options.h"
#include "ui/base/copied_rows.h"
#include "ui/base/distinct_names.h"
#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"
#include "ui/runs/runs_model.h"

#include <QDateTime>
#include <QLocale>

namespace ui {
namespace {

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const std::string& word : words)
        list << QString::fromStdString(word);
    return list.join(QLatin1String(", "));
}

/// A metric with four significant digits; an option as the experiment says it.
QString shortText(const FieldValue& value)
{
    return value.text.isEmpty() && value.number ? formatNumber(*value.number) : value.text;
}

QString exactText(const FieldValue& value)
{
    return value.text.isEmpty() && value.number ? formatExact(*value.number) : value.text;
}

bool isNumeric(const RunEntry& entry, int column)
{
    if (column < RunsModel::BuiltInCount)
        return column == RunsModel::Loss || column == RunsModel::Ranks || column == RunsModel::Attempts;
    return entry.values[static_cast<std::size_t>(column - RunsModel::BuiltInCount)].number.has_value();
}

QString fieldToolTip(const storage::RunField& field)
{
    if (field.kind != storage::RunField::Kind::Parameter)
        return titleOf(field);
    const contract::Option* const option = contract::findOption(field.name);
    return option ? RunsModel::tr("%1: %2").arg(titleOf(field), translatedText(option->help))
                  : titleOf(field);
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
    case kCopyRole:
        return copied(entry, index.column());
    case Qt::ToolTipRole:
        return toolTip(entry, index.column());
    case Qt::TextAlignmentRole:
        return isNumeric(entry, index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
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
        return entry.progress();
    case LookRole:
        return m_selection.isDrawn(entry.id()) ? QVariant::fromValue(Look(m_selection.lookOf(entry.id()), entry.row.line)) : QVariant();
    case ArchivedRole:
        return entry.row.isArchived;
    default:
        return {};
    }
}

const FieldValue& RunsModel::valueIn(const RunEntry& entry, int column) const
{
    return entry.values[static_cast<std::size_t>(column - BuiltInCount)];
}

QVariant RunsModel::text(const RunEntry& entry, int column) const
{
    if (column >= BuiltInCount)
        return shortText(valueIn(entry, column));
    switch (column) {
    case Name: {
        const auto count = m_names.find(entry.row.name);
        return count != m_names.end() && count->second > 1 ? nameWithId(entry.name(), entry.id()) : entry.name();
    }
    case State:
        return entry.status ? stateWord(entry.status->state) : tr("…");
    case Progress:
        return entry.totalSteps() > 0
            ? tr("%1 of %2").arg(formatCount(entry.step()), formatCount(entry.totalSteps()))
            : formatCount(entry.step());
    case Loss:
        return entry.loss() ? formatNumber(*entry.loss()) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? formatAge(entry.lastRecordUnixMs(), QDateTime::currentMSecsSinceEpoch()) : QString();
    case Started:
        return QLocale().toString(
            QDateTime::fromMSecsSinceEpoch(entry.row.createdUnixMs), QLocale::ShortFormat);
    case Project:
        return QString::fromStdString(entry.row.project);
    case Tags:
        return joined(entry.row.tags);
    case Notes:
        return QString::fromStdString(entry.row.notes).section(QLatin1Char('\n'), 0, 0);
    case Ranks:
        return formatCount(entry.row.ranks);
    case Attempts:
        return formatCount(entry.row.attempts);
    default:
        return {};
    }
}

/// Invalid: what is shown.
QVariant RunsModel::copied(const RunEntry& entry, int column) const
{
    const auto numberOf = [](const std::optional<double>& number) { return number ? QVariant(*number) : QVariant(); };
    if (column >= BuiltInCount) {
        const FieldValue& value = valueIn(entry, column);
        return value.text.isEmpty() ? numberOf(value.number) : QVariant(value.text);
    }
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id()) ? tr("drawn") : tr("not drawn");
    case Name:
        return entry.name();
    case Loss:
        return numberOf(entry.loss());
    case Age:
        return copiedTime(entry.lastRecordUnixMs());
    case Started:
        return copiedTime(entry.row.createdUnixMs);
    case Notes:
        return QString::fromStdString(entry.row.notes);
    case Ranks:
        return static_cast<qlonglong>(entry.row.ranks);
    case Attempts:
        return static_cast<qlonglong>(entry.row.attempts);
    default:
        return {};
    }
}

QVariant RunsModel::toolTip(const RunEntry& entry, int column) const
{
    if (column >= BuiltInCount)
        return plainToolTip(exactText(valueIn(entry, column)));
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id()) ? tr("Hide this run from the plots")
                                               : tr("Draw this run in the plots");
    case State:
        if (entry.status && !entry.status->waitsFor.empty())
            return plainToolTip(tr("Waiting: %1").arg(translatedSentence(entry.status->waitsFor)));
        if (entry.status && !entry.status->activity.empty())
            return plainToolTip(tr("Now: %1").arg(translatedSentence(entry.status->activity)));
        return plainToolTip(entry.cause());
    case Loss:
        return entry.loss() ? formatExact(*entry.loss()) : QString();
    case Age:
        return entry.lastRecordUnixMs() > 0
            ? tr("Last record: %1").arg(formatMoment(entry.lastRecordUnixMs())) : QString();
    case Started:
        return formatMoment(entry.row.createdUnixMs);
    case Notes:
        return plainToolTip(QString::fromStdString(entry.row.notes));
    case Project:
    case Tags:
        return plainToolTip(text(entry, column).toString());
    default:
        return plainToolTip(entry.id());
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Drawn)
        return tr("Drawn in the plots");
    const bool isField = section >= BuiltInCount && section < columnCount();
    if (role == Qt::ToolTipRole && isField)
        return plainToolTip(fieldToolTip(m_fields[static_cast<std::size_t>(section - BuiltInCount)]));
    if (role == Qt::TextAlignmentRole && (section == Loss || section == Ranks || section == Attempts || isField))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    if (isField)
        return titleOf(m_fields[static_cast<std::size_t>(section - BuiltInCount)]);
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
    case Project:
        return tr("Project");
    case Tags:
        return tr("Tags");
    case Notes:
        return tr("Note");
    case Ranks:
        return tr("Ranks");
    case Attempts:
        return tr("Attempts");
    default:
        return QString();
    }
}

}  // namespace ui

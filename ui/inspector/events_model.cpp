#include "ui/inspector/events_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"

#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>

#include <algorithm>
#include <tuple>

namespace ui {
namespace {

bool isSame(const storage::EventRow& a, const storage::EventRow& b)
{
    return std::tie(a.attempt, a.rank, a.step, a.unixMs, a.level, a.kind, a.message)
        == std::tie(b.attempt, b.rank, b.step, b.unixMs, b.level, b.kind, b.message);
}

QIcon levelIcon(const std::string& level)
{
    const QPalette palette = QGuiApplication::palette();
    if (level == "error")
        return icon(QStringLiteral("error"), stateColour(launcher::RunState::Failed, palette));
    if (level == "warning")
        return icon(QStringLiteral("warning"), stateColour(launcher::RunState::Stalled, palette));
    return icon(QStringLiteral("info"), fadedText(palette));
}

}  // namespace

void EventsModel::setEvents(const QString& runId, const std::vector<storage::EventRow>& events)
{
    // Of a long list only the newest are kept: the oldest go as new ones come.
    auto first = m_events.end();
    if (runId == m_runId && !events.empty())
        first = std::ranges::find_if(m_events, [&](const storage::EventRow& known) { return isSame(known, events.front()); });
    const auto gone = static_cast<int>(first - m_events.begin());
    const auto kept = m_events.size() - static_cast<std::size_t>(gone);
    const bool isContinued = runId == m_runId && (kept > 0 || m_events.empty()) && kept <= events.size()
        && std::equal(first, m_events.end(), events.begin(), isSame);
    if (!isContinued) {
        beginResetModel();
        m_runId = runId;
        m_events = events;
        endResetModel();
        return;
    }
    if (gone > 0) {
        beginRemoveRows({}, 0, gone - 1);
        m_events.erase(m_events.begin(), m_events.begin() + gone);
        endRemoveRows();
    }
    if (events.size() == m_events.size())
        return;
    beginInsertRows({}, int(m_events.size()), int(events.size()) - 1);
    m_events.insert(m_events.end(), events.begin() + std::ptrdiff_t(m_events.size()), events.end());
    endInsertRows();
}

int EventsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_events.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const storage::EventRow& event = m_events[std::size_t(index.row())];
    if (role == Qt::DisplayRole)
        return text(event, index.column());
    if (role == kCopyRole && (index.column() == Time || index.column() == Step))
        return index.column() == Time ? QVariant(copiedTime(event.unixMs)) : QVariant(static_cast<qlonglong>(event.step));
    if (role == Qt::DecorationRole && index.column() == Level)
        return levelIcon(event.level);
    if (role == Qt::ToolTipRole)
        return index.column() == Time ? formatMoment(event.unixMs) : plainToolTip(translatedSentence(event.message));
    if (role == Qt::TextAlignmentRole && index.column() == Step)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant EventsModel::text(const storage::EventRow& event, int column) const
{
    switch (column) {
    case Time:
        return QDateTime::fromMSecsSinceEpoch(event.unixMs).toString(QStringLiteral("hh:mm:ss.zzz"));
    case Level:
        return event.level == "error" ? tr("Error") : event.level == "warning" ? tr("Warning") : tr("Info");
    case Step:
        return formatCount(event.step);
    case Rank:
        return event.rank < 0 ? tr("supervisor") : tr("rank %1").arg(event.rank);
    default:
        return translatedSentence(event.message);
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time:
        return tr("Time");
    case Level:
        return tr("Level");
    case Step:
        return tr("Step");
    case Rank:
        return tr("Source");
    default:
        return tr("Message");
    }
}

}  // namespace ui

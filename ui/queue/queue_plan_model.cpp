#include "ui/queue/queue_plan_model.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/queue/state_icon.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace ui {
namespace {

using std::chrono::milliseconds;
using Kind = launcher::PlanBar::Kind;

constexpr milliseconds kShortestSpan = std::chrono::minutes(1);

QString fromNow(milliseconds time)
{
    return time.count() < 0 ? QueuePlanModel::tr("%1 ago").arg(formatDuration(-time))
        : time.count() == 0 ? QueuePlanModel::tr("now") : QueuePlanModel::tr("in %1").arg(formatDuration(time));
}

}  // namespace

QueuePlanModel::QueuePlanModel(const RunsModel& runs, QObject* parent)
    : QAbstractTableModel(parent)
    , m_runs(runs)
{
}

void QueuePlanModel::setPlan(const std::vector<launcher::PlanBar>& bars, std::int64_t nowUnixMs)
{
    const bool isSameRows = std::ranges::equal(m_bars, bars, {}, &launcher::PlanBar::run, &launcher::PlanBar::run);
    if (!isSameRows)
        beginResetModel();
    m_bars = bars;
    m_nowUnixMs = nowUnixMs;
    milliseconds last = kShortestSpan;
    for (const launcher::PlanBar& bar : m_bars)
        last = std::max({last, bar.start, bar.end.value_or(milliseconds(0))});
    m_span = last + last / 5;  // where an open end is seen to go on
    if (!isSameRows)
        endResetModel();
    else if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, Bar, Bar);
}

launcher::RunState QueuePlanModel::stateOf(int row) const
{
    using launcher::RunState;
    switch (bar(row).kind) {
    case Kind::Active: {
        const RunEntry* const run = m_runs.entry(runId(row));
        return run && run->status ? run->status->state : RunState::Running;
    }
    case Kind::Held:
        return RunState::Stalled;
    default:
        return RunState::Queued;
    }
}

int QueuePlanModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_bars.size()); }
int QueuePlanModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString QueuePlanModel::moment(milliseconds time) const
{
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(m_nowUnixMs + time.count()), now = QDateTime::fromMSecsSinceEpoch(m_nowUnixMs);
    return when.date() == now.date() ? QLocale().toString(when.time(), QLocale::ShortFormat) : QLocale().toString(when, QLocale::ShortFormat);
}

QString QueuePlanModel::text(int row, int column) const
{
    const launcher::PlanBar& bar = this->bar(row);
    const RunEntry* const run = m_runs.entry(runId(row));
    switch (column) {
    case Run:
        return run ? run->name() : runId(row);
    case State:
        return bar.kind == Kind::Held ? tr("Held") : stateWord(stateOf(row));
    case Starts:
        if (bar.kind == Kind::Held)
            return tr("when it is released");
        if (bar.kind == Kind::NeverFits)
            return tr("when others free its GPUs");
        return bar.isStartKnown ? fromNow(bar.start) : bar.start.count() > 0 ? tr("unknown, not before %1").arg(formatDuration(bar.start)) : tr("unknown");
    case Ends:
        return bar.end ? fromNow(*bar.end) : tr("unknown");
    case Basis:
        return translatedSentence(bar.basis);
    default:
        return {};
    }
}

QString QueuePlanModel::sentence(int row) const
{
    const launcher::PlanBar& bar = this->bar(row);
    QString start = text(row, Starts), end = text(row, Ends);
    if (bar.isStartKnown)
        start = tr("%1 (%2)").arg(start, moment(bar.start));
    if (bar.end)
        end = tr("%1 (%2)").arg(end, moment(*bar.end));
    return tr("%1 – %2. Starts: %3. Ends: %4. Duration: %5.").arg(text(row, Run), text(row, State), start, end, text(row, Basis));
}

QVariant QueuePlanModel::data(const QModelIndex& index, int role) const
{
    const int row = index.row();
    if (role == Qt::DisplayRole)
        return text(row, index.column());
    if (role == Qt::ToolTipRole || (role == Qt::AccessibleTextRole && index.column() == Bar))
        return sentence(row);
    if (role == Qt::DecorationRole && index.column() == State)
        return stateIcon(stateOf(row));
    return {};
}

QVariant QueuePlanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole))
        return {};
    const QStringList titles = {tr("Run"), tr("State"), tr("Time"), tr("Starts"), tr("Ends"), tr("Duration")};
    // The header draws the axis there.
    return section == Bar && role == Qt::DisplayRole ? QString() : titles.value(section);
}

}  // namespace ui

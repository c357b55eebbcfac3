#include "ui/views/view_history.h"

#include <QCoreApplication>

#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kTypingPause = 1s;

/// @p view with each part that differs between @p from and @p to as it is in @p to.
SavedView moved(SavedView view, const SavedView& from, const SavedView& to)
{
    const auto move = [](auto& part, const auto& before, const auto& after) {
        if (before != after)
            part = after;
    };
    move(view.drawn, from.drawn, to.drawn);
    move(view.baseline, from.baseline, to.baseline);
    move(view.filter, from.filter, to.filter);
    move(view.columns, from.columns, to.columns);
    move(view.plots.xAxis, from.plots.xAxis, to.plots.xAxis);
    move(view.plots.smoothing, from.plots.smoothing, to.plots.smoothing);
    move(view.plots.showsSuperseded, from.plots.showsSuperseded, to.plots.showsSuperseded);
    move(view.plots.showsDifferences, from.plots.showsDifferences, to.plots.showsDifferences);
    move(view.plots.grouping, from.plots.grouping, to.plots.grouping);
    move(view.plots.logarithmic, from.plots.logarithmic, to.plots.logarithmic);
    move(view.plots.clipped, from.plots.clipped, to.plots.clipped);
    move(view.plots.tables, from.plots.tables, to.plots.tables);
    move(view.plots.place, from.plots.place, to.plots.place);
    move(view.plots.plots, from.plots.plots, to.plots.plots);
    move(view.place.tab, from.place.tab, to.place.tab);
    move(view.place.inspected, from.place.inspected, to.place.inspected);
    move(view.place.docks, from.place.docks, to.place.docks);
    return view;
}

/// Whether only @p part differs, which is a member of SavedView.
template <typename Part>
bool isOnly(Part SavedView::*part, SavedView before, const SavedView& after)
{
    before.*part = after.*part;
    return before == after;
}

bool isOnlyPlace(SavedView before, const SavedView& after)
{
    before.plots.place = after.plots.place;
    return before == after;
}

}  // namespace

bool ViewHistory::continues(const Step& step, int gesture, Clock::time_point now) const
{
    if (gesture != 0 && gesture == step.gesture)
        return isOnlyPlace(step.before, step.after);
    return now - step.time < kTypingPause
        && (isOnly(&SavedView::filter, step.before, step.after) || isOnly(&SavedView::columns, step.before, step.after));
}

void ViewHistory::change(const SavedView& view, int gesture, Clock::time_point now)
{
    const SavedView before = std::exchange(m_view, view);
    const QString what = changeBetween(before, view);
    if (what.isEmpty())
        return;
    Step step {what, before, view, gesture, now};
    step.before.place = step.after.place = {};  // of what is undone, the user sees the effect where they are by then
    m_redo.clear();
    if (!m_undo.empty() && m_undo.back().what == what && continues(m_undo.back(), gesture, now) && continues(step, gesture, now)) {
        m_undo.back().after = step.after;
        m_undo.back().time = now;
        return;
    }
    m_undo.push_back(std::move(step));
    if (m_undo.size() > kMaxSteps)
        m_undo.erase(m_undo.begin());
}

void ViewHistory::open(const SavedView& view, const QString& what)
{
    if (view == m_view)
        return;
    m_redo.clear();
    m_undo.push_back({what, std::exchange(m_view, view), view, 0, Clock::now(), true});
}

std::optional<SavedView> ViewHistory::undo()
{
    if (m_undo.empty())
        return {};
    m_redo.push_back(std::move(m_undo.back()));
    m_undo.pop_back();
    Step& step = m_redo.back();
    step.time = Clock::now();
    return moved(m_view, step.after, step.before);
}

std::optional<SavedView> ViewHistory::redo()
{
    if (m_redo.empty())
        return {};
    m_undo.push_back(std::move(m_redo.back()));
    m_redo.pop_back();
    Step& step = m_undo.back();
    step.time = Clock::now();
    return moved(m_view, step.before, step.after);
}

}  // namespace ui

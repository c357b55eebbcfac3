#include "ui/plot/layout/plot_view_state.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ui {

void PlotViewState::setXAxis(XAxis axis)
{
    if (m_xAxis == axis)
        return;
    m_xAxis = axis;
    m_cursor.reset();
    m_pinned.reset();
    m_history = {};
    Q_EMIT settingsChanged();
    Q_EMIT placeChanged();
    Q_EMIT cursorChanged();
}

void PlotViewState::setSmoothing(const Smoothing& smoothing)
{
    if (m_smoothing == smoothing)
        return;
    m_smoothing = smoothing;
    Q_EMIT smoothingChanged();
}

void PlotViewState::setNextSmoothing()
{
    const auto next = std::next(std::ranges::find(kSmoothings, m_smoothing.kind));
    setSmoothing({next == kSmoothings.end() ? kSmoothings.front() : *next, m_smoothing.width});
}

void PlotViewState::setShowsDifferences(bool shows)
{
    if (std::exchange(m_showsDifferences, shows) == shows)
        return;
    if (shows)
        m_grouping.by = Grouping::By::Nothing;
    PlotPlace place = m_history.current();
    if (!std::exchange(place.y, {}).empty())
        goTo(place, 0);
    Q_EMIT settingsChanged();
}

void PlotViewState::setGrouping(const Grouping& grouping)
{
    if (m_grouping == grouping)
        return;
    m_grouping = grouping;
    if (grouping.by != Grouping::By::Nothing)
        setShowsDifferences(false);
    Q_EMIT settingsChanged();
}

void PlotViewState::setShowsSuperseded(bool shows)
{
    if (std::exchange(m_showsSuperseded, shows) != shows)
        Q_EMIT settingsChanged();
}

Scale PlotViewState::scale(const std::string& plot) const
{
    return m_logarithmic.contains(plot) ? Scale::Logarithmic : Scale::Linear;
}

void PlotViewState::toggleScale(const std::string& plot)
{
    if (m_logarithmic.erase(plot) == 0)
        m_logarithmic.insert(plot);
    PlotPlace place = m_history.current();
    if (place.y.erase(plot) > 0)
        goTo(place, 0);
    Q_EMIT settingsChanged();
}

PlotChoices PlotViewState::choices() const
{
    return {.xAxis = m_xAxis, .smoothing = m_smoothing, .showsSuperseded = m_showsSuperseded,
        .showsDifferences = m_showsDifferences, .grouping = m_grouping,
        .logarithmic = m_logarithmic, .clipped = m_clipped, .tables = m_tables, .place = m_history.current(), .plots = {}};
}

void PlotViewState::setChoices(const PlotChoices& choices)
{
    setXAxis(choices.xAxis);
    setSmoothing(choices.smoothing);
    m_showsSuperseded = choices.showsSuperseded;
    m_grouping = choices.grouping;
    m_showsDifferences = choices.showsDifferences && m_grouping.by == Grouping::By::Nothing;
    m_logarithmic = choices.logarithmic;
    m_clipped = choices.clipped;
    m_tables = choices.tables;
    Q_EMIT settingsChanged();
    if (choices.place != m_history.current())
        goTo(choices.place, 0);
}

void PlotViewState::setShowsTable(const std::string& plot, bool shows)
{
    if (shows == showsTable(plot))
        return;
    if (shows)
        m_tables.insert(plot);
    else
        m_tables.erase(plot);
    Q_EMIT settingsChanged();
}

void PlotViewState::toggleClip(const std::string& plot)
{
    if (m_clipped.erase(plot) == 0)
        m_clipped.insert(plot);
    PlotPlace place = m_history.current();
    if (place.y.erase(plot) > 0)
        goTo(place, 0);
    Q_EMIT settingsChanged();
}

void PlotViewState::setExtent(const Interval& extent)
{
    m_extent = extent.isEmpty() ? Interval {extent.lower - 0.5, extent.lower + 0.5} : extent;
}

Interval PlotViewState::x() const
{
    const PlotPlace& place = m_history.current();
    switch (place.mode) {
    case XMode::Whole:
        return m_extent;
    case XMode::Follow:
        return {std::max(m_extent.lower, m_extent.upper - place.x.size()), m_extent.upper};
    case XMode::Free:
        return place.x;
    }
    return m_extent;
}

std::optional<Interval> PlotViewState::y(const std::string& plot) const
{
    const auto found = m_history.current().y.find(plot);
    return found == m_history.current().y.end() ? std::nullopt : std::optional(found->second);
}

void PlotViewState::fit()
{
    goTo({}, 0);
}

void PlotViewState::setFollowing(bool follows)
{
    PlotPlace place = m_history.current();
    const Interval seen = x();
    if (follows == (place.mode == XMode::Follow))
        return;
    place.x = seen;
    if (follows && place.mode == XMode::Whole)
        place.x.lower = place.x.upper - m_extent.size() * kFollowPart;
    place.mode = follows ? XMode::Follow : XMode::Free;
    goTo(place, 0);
}

void PlotViewState::setX(const Interval& next, int gesture)
{
    if (next.isEmpty() || !std::isfinite(next.size()))
        return;
    PlotPlace place = m_history.current();
    place.mode = XMode::Free;
    place.x = next;
    goTo(place, gesture);
}

void PlotViewState::setY(const std::string& plot, const std::optional<Interval>& y, int gesture)
{
    PlotPlace place = m_history.current();
    if (place.mode == XMode::Whole)
        place.x = {};
    if (y && !y->isEmpty() && std::isfinite(y->size()))
        place.y[plot] = *y;
    else
        place.y.erase(plot);
    goTo(place, gesture);
}

void PlotViewState::setBox(const std::string& plot, const Interval& x, const Interval& y)
{
    PlotPlace place = m_history.current();
    place.mode = XMode::Free;
    place.x = x;
    place.y[plot] = y;
    if (!x.isEmpty() && !y.isEmpty())
        goTo(place, 0);
}

void PlotViewState::zoomX(double factor, double around, int gesture)
{
    const Interval seen = x();
    const Interval next {around - (around - seen.lower) * factor, around + (seen.upper - around) * factor};
    // Limited to what doubles can resolve.
    const double size = std::max(std::abs(around), m_extent.size());
    if (next.size() >= size * 1e-12)
        showWithinExtent(next, gesture);
}

void PlotViewState::panX(double part, int gesture)
{
    const Interval seen = x();
    showWithinExtent({seen.lower + part * seen.size(), seen.upper + part * seen.size()}, gesture);
}

/// Shows @p next, shifted so that it does not reach beyond the first or last point; all of x if it is as wide as that.
void PlotViewState::showWithinExtent(Interval next, int gesture)
{
    if (next.size() >= m_extent.size()) {
        PlotPlace place = m_history.current();
        place.mode = XMode::Whole;
        place.x = {};
        return goTo(place, gesture);
    }
    const double beyond = std::max(next.upper - m_extent.upper, 0.0) + std::min(next.lower - m_extent.lower, 0.0);
    next = {next.lower - beyond, next.upper - beyond};
    if (next != x())
        setX(next, gesture);
}

void PlotViewState::back()
{
    m_history.back();
    Q_EMIT placeChanged();
}

void PlotViewState::forward()
{
    m_history.forward();
    Q_EMIT placeChanged();
}

void PlotViewState::goTo(const PlotPlace& place, int gesture)
{
    m_history.goTo(place, gesture);
    Q_EMIT placeChanged();
}

void PlotViewState::setCursor(std::optional<double> x)
{
    if (m_cursor == x)
        return;
    m_cursor = x;
    if (!m_pinned)
        Q_EMIT cursorChanged();
}

void PlotViewState::setPinned(std::optional<double> x)
{
    if (x)
        scrollTo(*x);
    if (m_pinned == x)
        return;
    m_pinned = x;
    Q_EMIT cursorChanged();
}

void PlotViewState::scrollTo(double at)
{
    const Interval seen = x();
    if (mode() == XMode::Whole || (at >= seen.lower && at <= seen.upper))
        return;
    const Interval next {at - seen.size() / 2, at + seen.size() / 2};
    if (at >= m_extent.lower && at <= m_extent.upper)
        showWithinExtent(next, 0);
    else
        setX(next);  // its points may not have been read yet
}

void PlotViewState::setLabelWidth(const QObject* plot, int pixels)
{
    if (m_labelWidths.insert_or_assign(plot, pixels).second)
        connect(plot, &QObject::destroyed, this, [this, plot] {
            m_labelWidths.erase(plot);
            // Later: the plot's own slots are still connected, and its members gone.
            QMetaObject::invokeMethod(this, &PlotViewState::fitLabelWidth, Qt::QueuedConnection);
        });
    fitLabelWidth();
}

void PlotViewState::fitLabelWidth()
{
    constexpr int kSlackPixels = 24;
    int widest = 0;
    for (const auto& [each, width] : m_labelWidths)
        widest = std::max(widest, width);
    if (widest <= m_labelWidth && widest >= m_labelWidth - kSlackPixels)
        return;
    m_labelWidth = widest;
    Q_EMIT labelWidthChanged();
}

void PlotViewState::setKeys(const PlotKeys& keys)
{
    if (keys == m_keys)
        return;
    m_keys = keys;
    Q_EMIT keysChanged();
}

}  // namespace ui

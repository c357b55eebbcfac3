#include "ui/plot/plot_link.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

void PlotLink::setXAxis(XAxis axis)
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

void PlotLink::setSmoothing(const Smoothing& smoothing)
{
    if (m_smoothing == smoothing)
        return;
    if (m_smoothing.kind != Smoothing::Kind::Off)
        m_lastSmoothing = m_smoothing;
    m_smoothing = smoothing;
    Q_EMIT smoothingChanged();
}

void PlotLink::toggleSmoothing()
{
    setSmoothing(m_smoothing.kind == Smoothing::Kind::Off ? m_lastSmoothing
                                                          : Smoothing {Smoothing::Kind::Off, m_smoothing.width});
}

void PlotLink::setShowsSuperseded(bool shows)
{
    if (std::exchange(m_showsSuperseded, shows) != shows)
        Q_EMIT settingsChanged();
}

Scale PlotLink::scale(const std::string& plot) const
{
    return m_logarithmic.contains(plot) ? Scale::Logarithmic : Scale::Linear;
}

void PlotLink::toggleScale(const std::string& plot)
{
    if (m_logarithmic.erase(plot) == 0)
        m_logarithmic.insert(plot);
    PlotPlace place = m_history.current();
    if (place.y.erase(plot) > 0)
        goTo(place, 0);
    Q_EMIT settingsChanged();
}

void PlotLink::setLogarithmic(const std::set<std::string>& plots)
{
    m_logarithmic = plots;
    Q_EMIT settingsChanged();
}

void PlotLink::toggleClip(const std::string& plot)
{
    if (m_clipped.erase(plot) == 0)
        m_clipped.insert(plot);
    PlotPlace place = m_history.current();
    if (place.y.erase(plot) > 0)
        goTo(place, 0);
    Q_EMIT settingsChanged();
}

void PlotLink::setExtent(const Interval& extent)
{
    m_extent = extent.isEmpty() ? Interval {extent.lower - 0.5, extent.lower + 0.5} : extent;
}

Interval PlotLink::x() const
{
    const PlotPlace& place = m_history.current();
    switch (place.mode) {
    case XMode::Whole:
        return m_extent;
    case XMode::Follow:
        return {m_extent.upper - place.x.size(), m_extent.upper};
    case XMode::Free:
        return place.x;
    }
    return m_extent;
}

std::optional<Interval> PlotLink::y(const std::string& plot) const
{
    const auto found = m_history.current().y.find(plot);
    return found == m_history.current().y.end() ? std::nullopt : std::optional(found->second);
}

void PlotLink::fit()
{
    goTo({}, 0);
}

void PlotLink::setFollowing(bool follows)
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

void PlotLink::setX(const Interval& wanted, int gesture)
{
    if (wanted.isEmpty() || !std::isfinite(wanted.size()))
        return;
    PlotPlace place = m_history.current();
    place.mode = XMode::Free;
    place.x = wanted;
    goTo(place, gesture);
}

void PlotLink::setY(const std::string& plot, const std::optional<Interval>& y, int gesture)
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

void PlotLink::setBox(const std::string& plot, const Interval& x, const Interval& y)
{
    PlotPlace place = m_history.current();
    place.mode = XMode::Free;
    place.x = x;
    place.y[plot] = y;
    if (!x.isEmpty() && !y.isEmpty())
        goTo(place, 0);
}

void PlotLink::zoomX(double factor, double around, int gesture)
{
    const Interval seen = x();
    const Interval wanted {around - (around - seen.lower) * factor, around + (seen.upper - around) * factor};
    // Not below what numbers can tell apart, not far beyond all there is.
    const double size = std::max(std::abs(around), m_extent.size());
    if (wanted.size() < size * 1e-12 || wanted.size() > m_extent.size() * 20)
        return;
    setX(wanted, gesture);
}

void PlotLink::panX(double part, int gesture)
{
    const Interval seen = x();
    setX({seen.lower + part * seen.size(), seen.upper + part * seen.size()}, gesture);
}

void PlotLink::back()
{
    m_history.back();
    Q_EMIT placeChanged();
}

void PlotLink::forward()
{
    m_history.forward();
    Q_EMIT placeChanged();
}

void PlotLink::goTo(const PlotPlace& place, int gesture)
{
    m_history.goTo(place, gesture);
    Q_EMIT placeChanged();
}

void PlotLink::setCursor(std::optional<double> x)
{
    if (m_cursor == x)
        return;
    m_cursor = x;
    if (!m_pinned)
        Q_EMIT cursorChanged();
}

void PlotLink::setPinned(std::optional<double> x)
{
    if (m_pinned == x)
        return;
    m_pinned = x;
    Q_EMIT cursorChanged();
}

}  // namespace ui

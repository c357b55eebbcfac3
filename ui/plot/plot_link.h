// What all plots of a view share: the x axis and what is seen of it, the cursor, the way of drawing.
#pragma once
#include "ui/plot/plot_history.h"
#include "ui/plot/plot_settings.h"

#include <QObject>

#include <optional>
#include <set>
#include <string>

namespace ui {

class PlotLink : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    XAxis xAxis() const { return m_xAxis; }
    void setXAxis(XAxis axis);  ///< all of x is seen then: the old place means nothing on the new axis

    const Smoothing& smoothing() const { return m_smoothing; }
    void setSmoothing(const Smoothing& smoothing);
    void toggleSmoothing();  ///< off, and back to the last one

    bool showsSuperseded() const { return m_showsSuperseded; }
    void setShowsSuperseded(bool shows);

    Scale scale(const std::string& plot) const;
    void toggleScale(const std::string& plot);
    const std::set<std::string>& logarithmic() const { return m_logarithmic; }
    void setLogarithmic(const std::set<std::string>& plots);
    bool isClipped(const std::string& plot) const { return m_clipped.contains(plot); }
    void toggleClip(const std::string& plot);

    /// Everything that is drawn lies in here.
    void setExtent(const Interval& extent);
    const Interval& extent() const { return m_extent; }

    XMode mode() const { return m_history.current().mode; }
    Interval x() const;
    std::optional<Interval> y(const std::string& plot) const;

    void fit();  ///< all of x, and y of every plot by itself
    void setFollowing(bool follows);
    /// By the user's hand. Steps of one @p gesture (not 0) are one entry of the history.
    void setX(const Interval& x, int gesture = 0);
    void setY(const std::string& plot, const std::optional<Interval>& y, int gesture = 0);
    void setBox(const std::string& plot, const Interval& x, const Interval& y);
    void zoomX(double factor, double around, int gesture = 0);
    void panX(double part, int gesture = 0);  ///< of the width
    void back();
    void forward();
    bool canGoBack() const { return m_history.canGoBack(); }
    bool canGoForward() const { return m_history.canGoForward(); }

    /// The same x in all plots; none: no cursor.
    std::optional<double> cursor() const { return m_pinned ? m_pinned : m_cursor; }
    bool isPinned() const { return m_pinned.has_value(); }
    void setCursor(std::optional<double> x);  ///< ignored while pinned
    void setPinned(std::optional<double> x);

    static constexpr double kFollowPart = 0.25;  ///< of everything: the first window that follows

Q_SIGNALS:
    void placeChanged();     ///< x, y or mode
    void settingsChanged();  ///< how lines are drawn
    void smoothingChanged();
    void cursorChanged();

private:
    void goTo(const PlotPlace& place, int gesture);

    XAxis m_xAxis = XAxis::Step;
    Smoothing m_smoothing;
    Smoothing m_lastSmoothing { Smoothing::Kind::Exponential, 50 };
    bool m_showsSuperseded = true;
    std::set<std::string> m_logarithmic;
    std::set<std::string> m_clipped;
    Interval m_extent { 0, 1 };
    PlotHistory m_history;
    std::optional<double> m_cursor;
    std::optional<double> m_pinned;
};

}  // namespace ui

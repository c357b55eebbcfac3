// The view state that all plots share: the x axis and its visible range, the cursor, how lines are drawn, and the keys.
#pragma once
#include "ui/plot/layout/plot_choices.h"
#include "ui/plot/layout/plot_history.h"
#include "ui/plot/layout/plot_keys.h"
#include "ui/plot/lines/plot_settings.h"

#include <QObject>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace ui {

class PlotViewState : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    XAxis xAxis() const { return m_xAxis; }
    void setXAxis(XAxis axis);  ///< shows all of x and clears the history, since places do not carry over

    const Smoothing& smoothing() const { return m_smoothing; }
    void setSmoothing(const Smoothing& smoothing);
    void setNextSmoothing();  ///< the next kind as the toolbar offers them, of the same width; off after the last

    bool showsSuperseded() const { return m_showsSuperseded; }
    void setShowsSuperseded(bool shows);

    /// Whether plots show the differences from the baseline, see [Note: differences].
    bool showsDifferences() const { return m_showsDifferences; }
    void setShowsDifferences(bool shows);  ///< lets every plot fit y, since ranges of values do not carry over

    /// How runs are grouped; by nothing while differences are shown, and the other way round.
    const Grouping& grouping() const { return m_grouping; }
    void setGrouping(const Grouping& grouping);

    Scale scale(const std::string& plot) const;
    void toggleScale(const std::string& plot);
    bool isClipped(const std::string& plot) const { return m_clipped.contains(plot); }
    void toggleClip(const std::string& plot);

    /// Whether a plot shows its values as a table.
    bool showsTable(const std::string& plot) const { return m_tables.contains(plot); }
    void setShowsTable(const std::string& plot, bool shows);

    /// The choices above and the visible range; which plots there are, and their order, is not among them.
    PlotChoices choices() const;
    /// The place becomes a new entry of the history.
    void setChoices(const PlotChoices& choices);

    /// Sets the range of x that contains all drawn points.
    void setExtent(const Interval& extent);
    const Interval& extent() const { return m_extent; }

    XMode mode() const { return m_history.current().mode; }
    Interval x() const;
    std::optional<Interval> y(const std::string& plot) const;

    void fit();  ///< shows all of x and lets every plot fit y automatically
    void setFollowing(bool follows);
    /// The user's changes of the visible range. Changes with the same @p gesture (not 0) become one history entry.
    /// @p plot is a plot id; setY() with nullopt lets the plot fit y automatically.
    void setX(const Interval& x, int gesture = 0);
    void setY(const std::string& plot, const std::optional<Interval>& y, int gesture = 0);
    void setBox(const std::string& plot, const Interval& x, const Interval& y);
    /// Both stay within the range of all points: where there are none, there is nothing to see.
    void zoomX(double factor, double around, int gesture = 0);
    void panX(double part, int gesture = 0);  ///< by @p part of the visible width
    void back();
    void forward();
    bool canGoBack() const { return m_history.canGoBack(); }
    bool canGoForward() const { return m_history.canGoForward(); }
    /// The gesture that the visible range was last changed by; 0: none.
    int gesture() const { return m_history.gesture(); }

    /// The x of the cursor, the same in all plots; nullopt: no cursor.
    std::optional<double> cursor() const { return m_pinned ? m_pinned : m_cursor; }
    bool isPinned() const { return m_pinned.has_value(); }
    void setCursor(std::optional<double> x);  ///< takes effect when the cursor is no longer pinned
    /// Scrolls to @p x, without zooming, if it is out of sight.
    void setPinned(std::optional<double> x);

    /// The width of the y labels' column, in pixels, the same in all plots so that they are aligned. Grows as soon as a plot needs more;
    /// shrinks only when all need much less, so that plots stand still while a run grows.
    int labelWidth() const { return m_labelWidth; }
    /// Each plot says how wide its widest label is.
    void setLabelWidth(const QObject* plot, int pixels);

    const PlotKeys& keys() const { return m_keys; }
    void setKeys(const PlotKeys& keys);

    static constexpr double kFollowPart = 0.25;  ///< width of the first window in XMode::Follow, as a part of all of x

Q_SIGNALS:
    void placeChanged();     ///< x, y or mode may have changed
    void settingsChanged();  ///< the axis, scales, clipping or superseded points have changed
    void smoothingChanged();
    void cursorChanged();
    void labelWidthChanged();
    void keysChanged();

private:
    void fitLabelWidth();
    void goTo(const PlotPlace& place, int gesture);
    void showWithinExtent(Interval x, int gesture);
    void scrollTo(double x);

    PlotKeys m_keys;
    XAxis m_xAxis = XAxis::Step;
    Smoothing m_smoothing;
    bool m_showsSuperseded = true;
    bool m_showsDifferences = false;
    Grouping m_grouping;
    std::set<std::string> m_logarithmic;
    std::set<std::string> m_clipped;
    std::set<std::string> m_tables;
    Interval m_extent { 0, 1 };
    PlotHistory m_history;
    std::optional<double> m_cursor;
    std::optional<double> m_pinned;
    std::map<const QObject*, int> m_labelWidths;
    int m_labelWidth = 0;
};

}  // namespace ui

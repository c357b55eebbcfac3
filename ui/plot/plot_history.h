// Where the user has looked, for back and forward.
#pragma once
#include "ui/plot/plot_settings.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// What part of all linked plots is seen.
struct PlotPlace {
    XMode mode = XMode::Whole;
    Interval x;
    std::map<std::string, Interval> y;  ///< plots whose y the user chose; the others fit

    bool operator==(const PlotPlace&) const = default;
};

/// As in a browser: going somewhere forgets what lay ahead.
class PlotHistory {
public:
    /// @p gesture tells one gesture from another: places of the same one (turns of a wheel, a drag) are one
    /// entry. 0 belongs to none.
    void goTo(const PlotPlace& place, int gesture = 0);

    bool canGoBack() const { return m_current > 0; }
    bool canGoForward() const { return m_current + 1 < m_places.size(); }
    const PlotPlace& back();
    const PlotPlace& forward();

    const PlotPlace& current() const { return m_places[m_current]; }

private:
    static constexpr std::size_t kMost = 200;
    std::vector<PlotPlace> m_places { PlotPlace {} };
    std::size_t m_current = 0;
    int m_gesture = 0;
};

}  // namespace ui

// The history of the places that the user has viewed, for the back and forward buttons.
#pragma once
#include "ui/plot/lines/plot_settings.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// A place: the part of the linked plots that is visible.
struct PlotPlace {
    XMode mode = XMode::Whole;
    Interval x;
    std::map<std::string, Interval> y;  ///< y ranges that the user chose, by plot id; other plots fit y automatically

    bool operator==(const PlotPlace&) const = default;
};

/// Works as in a browser: a new place drops the places that forward() would go to.
class PlotHistory {
public:
    /// Goes to a new place. Consecutive places with the same @p gesture (turns of a wheel, one drag) become one
    /// entry; 0: not part of a gesture.
    void goTo(const PlotPlace& place, int gesture = 0);

    int gesture() const { return m_gesture; }  ///< of the current entry
    bool canGoBack() const { return m_current > 0; }
    bool canGoForward() const { return m_current + 1 < m_places.size(); }
    const PlotPlace& back();
    const PlotPlace& forward();

    const PlotPlace& current() const { return m_places[m_current]; }

private:
    static constexpr std::size_t kMaxPlaces = 200;
    std::vector<PlotPlace> m_places { PlotPlace {} };
    std::size_t m_current = 0;
    int m_gesture = 0;
};

}  // namespace ui

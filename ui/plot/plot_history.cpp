#include "ui/plot/layout/plot_history.h"

namespace ui {

void PlotHistory::goTo(const PlotPlace& place, int gesture)
{
    if (gesture != 0 && gesture == m_gesture) {
        m_places[m_current] = place;
        return;
    }
    m_gesture = gesture;
    if (place == current())
        return;
    m_places.resize(m_current + 1);
    m_places.push_back(place);
    if (m_places.size() > kMaxPlaces)
        m_places.erase(m_places.begin());
    m_current = m_places.size() - 1;
}

const PlotPlace& PlotHistory::back()
{
    m_gesture = 0;
    if (canGoBack())
        --m_current;
    return current();
}

const PlotPlace& PlotHistory::forward()
{
    m_gesture = 0;
    if (canGoForward())
        ++m_current;
    return current();
}

}  // namespace ui

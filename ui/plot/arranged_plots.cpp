// Which plots the tab Plots has, of which metrics and in which order, as the user arranges them.
#include "ui/plot/plots_view.h"

#include <algorithm>

namespace ui {
namespace {

std::set<std::string> setOf(const QStringList& names)
{
    std::set<std::string> set;
    for (const QString& name : names)
        set.insert(name.toStdString());
    return set;
}

}  // namespace

std::size_t PlotsView::hiddenPlots() const { return m_arrangement.hiddenPlots(m_feed.runs()); }

void PlotsView::chooseMetrics(const std::optional<std::set<std::string>>& metrics)
{
    m_arrangement.metrics = metrics;
    if (!metrics)
        m_arrangement.placed.clear();
    m_arrangement.hidden.clear();  // a hidden plot has not been chosen, or is wanted again
    rearrange();
}

void PlotsView::addMetrics(const QStringList& names, const std::string& before)
{
    const std::set<std::string> added = setOf(names);
    std::set<std::string> metrics = shownMetrics();
    metrics.insert(added.begin(), added.end());
    PlotArrangement arrangement = m_arrangement;
    arrangement.metrics = metrics;
    arrangement.separate(added);
    arrangement.hidden.clear();
    for (const PlotGroup& group : arrangement.plots(m_feed.runs())) {
        const bool isAdded = std::ranges::any_of(group.metrics, [&](const std::string& metric) { return added.contains(metric); });
        if (isAdded)
            arrangement.move(arrangement.plots(m_feed.runs()), group.id, before);
    }
    m_arrangement = arrangement;
    rearrange();
}

void PlotsView::joinMetrics(const QStringList& names, const std::string& id)
{
    const std::set<std::string> joined = setOf(names);
    std::set<std::string> metrics = shownMetrics();
    metrics.insert(joined.begin(), joined.end());
    m_arrangement.place(m_arrangement.plots(m_feed.runs()), joined, id);
    m_arrangement.metrics = metrics;
    rearrange();
}

void PlotsView::separateMetrics(const QStringList& names)
{
    m_arrangement.separate(setOf(names));
    rearrange();
}

std::set<std::string> PlotsView::shownMetrics() const
{
    std::set<std::string> metrics;
    for (const PlotGroup& group : m_arrangement.plots(m_feed.runs()))
        metrics.insert(group.metrics.begin(), group.metrics.end());
    return metrics;
}

void PlotsView::movePlot(const std::string& id, const std::string& before)
{
    const auto shown = m_arrangement.plots(m_feed.runs());
    PlotArrangement moved = m_arrangement;
    moved.move(shown, id, before);
    if (moved.plots(m_feed.runs()) == shown)
        return;
    m_arrangement = moved;
    rearrange();
}

void PlotsView::hidePlot(const std::string& id)
{
    m_arrangement.hidden.insert(id);
    rearrange();
}

void PlotsView::showHiddenPlots()
{
    m_arrangement.hidden.clear();
    rearrange();
}

void PlotsView::rearrange()
{
    applyFeed();
    Q_EMIT choicesChanged();
}

}  // namespace ui

#include "ui/system/system_view.h"

#include "engine/contract/run/journal.h"
#include "ui/plot/canvas/drawn_line.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/system_metrics.h"
#include "ui/plot/lines/value_range.h"
#include "ui/plot/plot_grid.h"

#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <string>

namespace ui {

SystemView::SystemView(StoreService& service, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_feed(service)
    , m_grid(new PlotGrid(m_viewState, QSize(320, 130)))
    , m_frame(new ViewFrame(m_grid, this))
{
    // The machine goes on between attempts, and nothing that it did is superseded.
    m_viewState.setXAxis(XAxis::WallTime);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    connect(&m_selection, &Selection::inspectedChanged, this, &SystemView::applySelection);
    connect(&m_feed, &PlotFeed::updated, this, &SystemView::applyFeed);
    connect(&m_viewState, &PlotViewState::smoothingChanged, this, [this] { m_feed.setSmoothing(m_viewState.smoothing()); });
    connect(m_grid, &PlotGrid::statusMessage, this, &SystemView::statusMessage);
    applySelection();
}

SystemView::~SystemView() = default;

void SystemView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed.setActive(true);
}

void SystemView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed.setActive(false);
}

void SystemView::reveal(int gpu)
{
    m_revealed = gpu;
    scrollToRevealed();
}

void SystemView::scrollToRevealed()
{
    if (!m_revealed)
        return;
    const std::string prefix = contract::metric::kHostPrefix + ("gpu" + std::to_string(*m_revealed) + "_");
    const auto isOfGpu = [&](const PlotPanel* panel) {
        return std::ranges::any_of(panel->group().metrics, [&](const std::string& name) { return name.starts_with(prefix); });
    };
    const auto first = std::ranges::find_if(m_grid->panels(), isOfGpu);
    if (first == m_grid->panels().end())
        return;
    m_revealed.reset();
    // Once more later: a panel that is new has no place yet.
    m_grid->ensureWidgetVisible(*first);
    QTimer::singleShot(0, *first, [grid = m_grid, panel = *first] { grid->ensureWidgetVisible(panel); });
}

void SystemView::applySelection()
{
    const QString run = m_selection.inspected();
    m_feed.setRuns(run.isEmpty() ? std::vector<std::string>() : std::vector {run.toStdString()});
    m_viewState.fit();
    applyFeed();
}

void SystemView::applyFeed()
{
    if (m_feed.hasAnswer()) {
        const auto groups = systemGroups(m_feed.runs());
        std::set<std::string> metrics;
        for (const PlotGroup& group : groups)
            metrics.insert(group.metrics.begin(), group.metrics.end());
        m_grid->setGroups(groups);
        m_feed.setMetrics(metrics);
        scrollToRevealed();
    }
    MinMax extent;
    for (const auto& [key, line] : m_feed.lines()) {
        for (const auto& stretch : line->points.stretches(m_viewState.xAxis())) {
            extent.add(line->points.x(stretch.first, m_viewState.xAxis()));
            extent.add(line->points.x(stretch.last - 1, m_viewState.xAxis()));
        }
    }
    m_viewState.setExtent(extent.isEmpty() ? Interval {0, 1} : Interval {extent.minimum, extent.maximum});
    std::vector<DrawnRunName> names;
    for (const RunInfo& info : m_feed.runs())
        names.push_back({info.id, QString::fromStdString(info.name), 0});
    for (PlotPanel* panel : m_grid->panels())
        panel->setLines(linesOf(panel->group(), names, m_feed.lines()));
    showState();
}

void SystemView::showState()
{
    ViewState state;
    const bool isAnyInspected = !m_selection.inspected().isEmpty();
    if (!isAnyInspected)
        state.emptySentence = tr("No run is selected. Choose one in the list to see what the machine did meanwhile.");
    else if (m_feed.hasAnswer() && m_grid->panels().empty()) {
        state.emptySentence = tr("Nothing was recorded of the machine. A run that Atelier itself starts records it every five seconds.");
        state.isEmptyOfRecords = true;
    }
    state.isLoading = isAnyInspected && (!m_feed.hasAnswer() || m_feed.isLoading()) && m_feed.error().isEmpty();
    state.cancel = [this] { m_feed.cancel(); };
    state.error = m_feed.viewError(tr("The curves could not be read. %1"));
    m_frame->setState(state);
}

}  // namespace ui

#include "ui/one_cursor.h"

#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/logs/logs_dock.h"
#include "ui/plot/plots_view.h"
#include "ui/steps/steps_view.h"
#include "ui/system/system_view.h"

#include <QScopedValueRollback>

namespace ui {

OneCursor::OneCursor(const Views& views, Selection& selection, QObject* parent)
    : QObject(parent)
    , m_views(views)
    , m_selection(selection)
{
    connect(&m_views.plots.viewState(), &PlotViewState::cursorChanged, this, &OneCursor::followPlots);
    connect(&m_views.system.viewState(), &PlotViewState::cursorChanged, this, &OneCursor::followSystem);
    connect(&m_views.logs, &LogsDock::timeChosen, this, &OneCursor::showInPlots);
    connect(&m_views.steps, &StepsView::stepChosen, this, [this](std::int64_t step) { m_views.plots.pinStep(m_selection.inspected(), step); });
    connect(&m_selection, &Selection::inspectedChanged, this, &OneCursor::markStep);
    connect(&m_views.plots.viewState(), &PlotViewState::settingsChanged, this, [this] { m_views.steps.setXAxis(m_views.plots.viewState().xAxis()); });
}

void OneCursor::markStep()
{
    const auto moment = m_views.plots.viewState().isPinned() ? m_views.plots.momentOf(m_selection.inspected()) : std::nullopt;
    m_views.steps.showStep(moment ? std::optional(moment->step) : std::nullopt);
}

void OneCursor::followPlots()
{
    markStep();
    if (m_isFollowing)
        return;
    const QScopedValueRollback guard(m_isFollowing, true);
    const PlotViewState& plots = m_views.plots.viewState();
    const auto moment = plots.isPinned() ? m_views.plots.momentOf(m_selection.inspected()) : std::nullopt;
    m_views.system.viewState().setPinned(moment ? std::optional(moment->wallSeconds) : std::nullopt);
    if (!moment)
        return;
    m_views.logs.showTime(moment->wallSeconds);
    m_views.gallery.showStep(moment->step);
    m_views.checkpoints.showStep(moment->step);
}

void OneCursor::followSystem()
{
    const PlotViewState& system = m_views.system.viewState();
    if (!m_isFollowing && system.isPinned())
        showInPlots(*system.cursor());
}

void OneCursor::showInPlots(double wallSeconds)
{
    m_views.plots.pinTime(m_selection.inspected(), wallSeconds);
}

}  // namespace ui

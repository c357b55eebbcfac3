#include "ui/plot/plot_actions.h"

#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/plots_view.h"

#include <QApplication>

#include <algorithm>

namespace ui {

PlotActions::PlotActions(ActionRegistry& actions, PlotsView& plots, std::initializer_list<PlotViewState*> others, QObject* parent)
    : QObject(parent)
    , m_actions(actions)
    , m_plots(plots)
    , m_viewStates(others)
{
    m_viewStates.prepend(&plots.viewState());
    m_actions.addPlace({QStringLiteral("plots"), tr("Plots"), {}}, &plots);
    m_actions.addPlace({QStringLiteral("plot"), tr("In a plot"), {QStringLiteral("plots")}}, &plots);
    registerCommands();
    registerPlot();
    registerTab();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* widget) { takeFocus(widget); });
    connect(&plots, &PlotsView::plotsListed, this, &PlotActions::refresh);
    for (PlotViewState* const viewState : m_viewStates) {
        for (auto signal : {&PlotViewState::placeChanged, &PlotViewState::cursorChanged})
            connect(viewState, signal, this, &PlotActions::refreshPlace);
    }
    takeKeys();
    refresh();
}

void PlotActions::registerCommands()
{
    for (const auto& each : plotCommands()) {
        const QAction* const action = m_actions.add(each.second, [this, command = each.first] {
            if (PlotPanel* const panel = current())
                panel->perform(command);
        });
        connect(action, &QAction::changed, this, &PlotActions::takeKeys);
    }
    for (const FixedKeys& keys : fixedPlotKeys())
        m_actions.addFixed(keys);
}

void PlotActions::registerPlot()
{
    const QString place = QStringLiteral("plot");
    const auto move = [this](bool isEarlier) {
        if (const PlotPanel* const panel = current(); isOfTab(panel))
            m_plots.grid().moveBy(panel, isEarlier);
    };
    m_actions.addTo(m_plots, {"plot.earlier", tr("Move earlier"), {}, {}, tr("Change places with the plot before"), {}, place}, [move] { move(true); });
    m_actions.addTo(m_plots, {"plot.later", tr("Move later"), {}, {}, tr("Change places with the plot after it"), {}, place}, [move] { move(false); });
    m_actions.addTo(m_plots, {"plot.hide", tr("Hide"), {}, {}, tr("Do not show this plot until hidden plots are shown again"), {}, place}, [this] {
        if (const PlotPanel* const panel = current(); isOfTab(panel))
            m_plots.hidePlot(panel->group().id);
    });
}

void PlotActions::registerTab()
{
    const QString place = QStringLiteral("plots");
    m_actions.addTo(m_plots, {"plots.showHidden", tr("Show hidden plots"), "eye", {}, tr("Show the plots that were hidden"), {}, place},
        [this] { m_plots.showHiddenPlots(); });
    m_actions.addTo(m_plots, {"plots.default", tr("Default metrics"), "revert", {}, tr("Draw the plots that are drawn while nothing has been chosen"), {}, place},
        [this] { m_plots.chooseMetrics({}); });
    m_actions.addTo(m_plots,
        {"plots.group", tr("Group…"), {}, {}, tr("Draw runs that are equal in an option, the project or the tags as one line: their mean, with a band"), {}, place},
        [this] { m_plots.openGroups(); });
    m_actions.addTo(m_plots, {"plots.saveImage", tr("Save all plots…"), "save", {}, tr("Save all plots as one picture"), {}, place},
        [this] { m_plots.grid().saveImage(); });
    m_actions.addTo(m_plots, {"plots.copyImage", tr("Copy all plots"), "copy", {}, tr("Copy all plots as one picture"), {}, place},
        [this] { m_plots.grid().copyImage(); });
}

void PlotActions::takeFocus(QWidget* widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (auto* const panel = qobject_cast<PlotPanel*>(widget)) {
            m_focused = panel;
            return refresh();
        }
    }
}

PlotPanel* PlotActions::current() const
{
    if (m_focused && !m_focused->visibleRegion().isEmpty())
        return m_focused;
    const std::vector<PlotPanel*>& panels = m_plots.panels();
    if (m_focused && std::ranges::find(panels, m_focused.data()) != panels.end())
        return m_focused;
    return panels.empty() ? nullptr : panels.front();
}

bool PlotActions::isOfTab(const PlotPanel* panel) const { return std::ranges::find(m_plots.panels(), panel) != m_plots.panels().end(); }

void PlotActions::takeKeys()
{
    PlotKeys keys;
    for (const auto& [command, spec] : plotCommands())
        keys.setKey(command, m_actions.action(spec.id)->shortcut());
    for (PlotViewState* const viewState : m_viewStates)
        viewState->setKeys(keys);
}

void PlotActions::refresh()
{
    const PlotPanel* const panel = current();
    const QString none = tr("There is no plot: draw a run.");
    for (const ActionSpec& spec : m_actions.specs()) {
        if (spec.place == QLatin1String("plot"))
            m_actions.setEnabled(spec.id, panel, none);
    }
    for (const char* id : {"plots.saveImage", "plots.copyImage"})
        m_actions.setEnabled(QLatin1String(id), !m_plots.panels().empty(), none);
    for (const char* id : {"plot.earlier", "plot.later", "plot.hide"})
        m_actions.setEnabled(QLatin1String(id), isOfTab(panel), panel ? tr("Only plots of the tab Plots can be moved and hidden.") : none);
    m_actions.setEnabled(QStringLiteral("plots.showHidden"), m_plots.hiddenPlots() > 0, tr("No plot is hidden."));
    refreshPlace();
}

/// What depends on where the user looks.
void PlotActions::refreshPlace()
{
    PlotPanel* const panel = current();
    if (!panel)
        return;
    const PlotViewState& viewState = panel->canvas().viewState();
    m_actions.setEnabled(QStringLiteral("plot.back"), viewState.canGoBack(), tr("Nothing else was looked at before."));
    m_actions.setEnabled(QStringLiteral("plot.forward"), viewState.canGoForward(), tr("Nothing else was looked at after this."));
    m_actions.setEnabled(QStringLiteral("plot.copyValues"), viewState.cursor().has_value(), tr("Click on a step in a plot first: that pins it."));
}

}  // namespace ui

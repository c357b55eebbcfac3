// The actions of the plots: each is done with the plot that had the focus last, or else with the first.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/plot/layout/plot_keys.h"

#include <QObject>
#include <QPointer>

#include <initializer_list>

namespace ui {

class PlotPanel;
class PlotViewState;
class PlotsView;

class PlotActions : public QObject {
    Q_OBJECT
public:
    /// Registers them in @p actions, whose keys plots have from then on. @param others what other views' plots share; all must outlive this.
    PlotActions(ActionRegistry& actions, PlotsView& plots, std::initializer_list<PlotViewState*> others, QObject* parent = nullptr);

private:
    void registerCommands();
    void registerPlot();
    void registerTab();
    void takeFocus(QWidget* widget);
    PlotPanel* current() const;  ///< null: there is no plot
    bool isOfTab(const PlotPanel* panel) const;
    void takeKeys();
    void refresh();
    void refreshPlace();

    ActionRegistry& m_actions;
    PlotsView& m_plots;
    QList<PlotViewState*> m_viewStates;
    QPointer<PlotPanel> m_focused;  ///< the plot that had the focus last
};

}  // namespace ui

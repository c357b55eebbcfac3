// The dock Metrics: finds metrics among thousands, and chooses which of them have a plot.
#pragma once
#include "ui/base/state_strip.h"
#include "ui/plot/layout/metric_tree.h"
#include "ui/plot/layout/plot_groups.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;
class QTreeView;

namespace ui {

class ActionRegistry;
class ViewFrame;

/// Rows are dragged between plots, where their plots then are, or onto a plot, which then draws them; *Add to plot* does that by keys. Space ticks all selected rows, or none.
class MetricBrowser : public QWidget {
    Q_OBJECT
public:
    explicit MetricBrowser(QWidget* parent = nullptr);

    /// Registers its actions, "metrics.show" …, in @p actions, which must outlive this.
    void registerActions(ActionRegistry& actions);

    /// @param all of the drawn runs. @param chosen those that have a plot
    void setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen);
    /// The plots that metrics can be added to.
    void setPlots(const std::vector<PlotGroup>& plots) { m_plots = plots; }
    void focusSearch();
    /// Sets the buttons shown while no run is drawn.
    void setEmptyActions(const QList<ViewAction>& actions);

Q_SIGNALS:
    /// The user wants plots for these metrics and no others.
    void metricsChosen(const std::set<std::string>& metrics);
    void defaultMetricsRequested();
    /// The user wants these metrics in plot @p id.
    void addRequested(const QStringList& names, const std::string& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* addButton(QLayout* row, const QString& text, const QString& help);
    void chooseSelected(bool isChosen);
    void toggleSelected();
    void fillAddMenu();
    void openAddMenu();
    void afterReset();
    void showState();

    MetricTree* m_tree;
    QLineEdit* m_search;
    QTreeView* m_view;
    ViewFrame* m_frame;
    QLabel* m_count;
    QToolButton* m_show = nullptr;
    QToolButton* m_hide = nullptr;
    QToolButton* m_add = nullptr;
    QToolButton* m_usual = nullptr;
    QMenu* m_addMenu = nullptr;  ///< a row for each plot
    std::vector<PlotGroup> m_plots;
    QList<ViewAction> m_emptyActions;
    std::set<QString> m_open;  ///< the paths of the folders that the user has opened
};

}  // namespace ui

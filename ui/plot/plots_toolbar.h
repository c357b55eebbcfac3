// The toolbar above the plots: back, forward, fit and follow, superseded points, x axis, smoothing, metrics.
#pragma once
#include "ui/plot/layout/plot_view_state.h"

#include <QWidget>

#include <initializer_list>
#include <set>
#include <string>

class QComboBox;
class QToolButton;

namespace ui {

class CheckMenu;
class GroupMenu;

/// Wraps into several rows where the window is narrow.
class PlotsToolbar : public QWidget {
    Q_OBJECT
public:
    explicit PlotsToolbar(PlotViewState& viewState, QWidget* parent = nullptr);

    /// @param all the metrics offered in the menu; @param chosen those that have a plot; @param hidden how many plots are hidden
    void setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen, std::size_t hidden);

    GroupMenu& groupMenu() { return *m_groups; }
    void openGroups();

    QWidget& lastControl() const;

Q_SIGNALS:
    void metricsChosen(const std::set<std::string>& metrics);
    void defaultMetricsRequested();
    void hiddenPlotsRequested();
    void metricsRequested();  ///< the user wants to find metrics
    void saveImageRequested();
    void copyImageRequested();

private:
    QWidget* makeGroup(std::initializer_list<QWidget*> widgets);
    QComboBox* makeXAxis();
    void setupSmoothing();
    void setupButtons();
    QToolButton* makeButton(const QString& text);
    void showKeys();
    void applySmoothing();
    void updateControls();
    void fillMenu();

    PlotViewState& m_viewState;
    QComboBox* m_xAxis;
    QComboBox* m_kind;
    QComboBox* m_width;
    QToolButton* m_back;
    QToolButton* m_forward;
    QToolButton* m_fit;
    QToolButton* m_follow;
    QToolButton* m_superseded;
    QToolButton* m_differences;
    QToolButton* m_group;
    GroupMenu* m_groups;
    QToolButton* m_metrics;
    CheckMenu* m_menu;
    QToolButton* m_image;
    std::set<std::string> m_all;
    std::set<std::string> m_chosen;
    std::size_t m_hidden = 0;
};

}  // namespace ui

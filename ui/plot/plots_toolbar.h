// The row above the plots: x axis, smoothing, which metrics, what is seen.
#pragma once
#include "ui/plot/plot_link.h"

#include <QWidget>

#include <initializer_list>
#include <set>
#include <string>

class QBoxLayout;
class QComboBox;
class QMenu;
class QToolButton;

namespace ui {

class PlotsToolbar : public QWidget {
    Q_OBJECT
public:
    explicit PlotsToolbar(PlotLink& link, QWidget* parent = nullptr);

    /// All there are, and those that have a plot.
    void setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen);

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void metricsChosen(const std::set<std::string>& metrics);
    void defaultMetricsWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeGroup(std::initializer_list<QWidget*> widgets);
    QComboBox* makeXAxis();
    void setupSmoothing();
    void setupButtons();
    QToolButton* makeButton(const QString& text, const QString& help);
    void applySmoothing();
    void follow();
    void fillMenu();

    PlotLink& m_link;
    QComboBox* m_xAxis;
    QComboBox* m_kind;
    QComboBox* m_width;
    QToolButton* m_back;
    QToolButton* m_forward;
    QToolButton* m_fit;
    QToolButton* m_follow;
    QToolButton* m_superseded;
    QToolButton* m_metrics;
    QMenu* m_menu;
    QBoxLayout* m_groups = nullptr;  ///< side by side, or below each other where the window is narrow
    std::set<std::string> m_all;
    std::set<std::string> m_chosen;
};

}  // namespace ui

// The dock Metrics: finds metrics among thousands, and chooses which of them have a plot.
#pragma once
#include "ui/plot/metric_tree.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace ui {

class ViewFrame;

/// Rows are dragged to the plots, where their plots then are. Space ticks all selected rows, or none.
class MetricBrowser : public QWidget {
    Q_OBJECT
public:
    explicit MetricBrowser(QWidget* parent = nullptr);

    /// @param all of the drawn runs. @param chosen those that have a plot
    void setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen);
    void focusSearch();

Q_SIGNALS:
    /// The user wants plots for these metrics and no others.
    void metricsChosen(const std::set<std::string>& metrics);
    void defaultMetricsRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* addButton(QLayout* row, const QString& text, const QString& help);
    void chooseSelected(bool isChosen);
    void toggleSelected();
    void afterReset();
    void showState();

    MetricTree* m_tree;
    QLineEdit* m_search;
    QTreeView* m_view;
    ViewFrame* m_frame;
    QLabel* m_count;
    QToolButton* m_show = nullptr;
    QToolButton* m_hide = nullptr;
    std::set<QString> m_open;  ///< the paths of the folders that the user has opened
};

}  // namespace ui

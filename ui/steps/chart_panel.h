// A chart over steps, in whose place T shows its numbers as a table.
#pragma once
#include "ui/steps/step_chart.h"

#include <QStackedWidget>

class QTableView;

namespace ui {

class ActionRegistry;
class ChartNumbers;

class ChartPanel : public QStackedWidget {
    Q_OBJECT
public:
    /// Takes ownership of @p chart. Keys in it and in the table do what the actions of the place "steps" in @p actions do, which must outlive this.
    ChartPanel(StepChart* chart, const ActionRegistry& actions, QWidget* parent = nullptr);

    StepChart& chart() const { return *m_chart; }

    bool showsTable() const;
    void setShowsTable(bool shows);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setupTable();
    void refresh();
    void goToMark();

    StepChart* m_chart;
    const ActionRegistry& m_actions;
    QTableView* m_table = nullptr;  ///< made when it is first shown
    ChartNumbers* m_numbers = nullptr;
};

}  // namespace ui

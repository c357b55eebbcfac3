// A chart over steps, in whose place T shows its numbers as a table.
#pragma once
#include "ui/steps/step_chart.h"

#include <QStackedWidget>

class QTableView;

namespace ui {

class ChartNumbers;

class ChartPanel : public QStackedWidget {
    Q_OBJECT
public:
    /// Takes ownership of @p chart.
    explicit ChartPanel(StepChart* chart, QWidget* parent = nullptr);

    bool showsTable() const;
    void setShowsTable(bool shows);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setupTable();
    void refresh();
    void goToMark();

    StepChart* m_chart;
    QTableView* m_table = nullptr;  ///< made when it is first shown
    ChartNumbers* m_numbers = nullptr;
};

}  // namespace ui

// The queue's plan as bars over time: what runs, what comes next, and until when, as far as that is known.
#pragma once
#include "ui/queue/queue_plan_model.h"
#include "ui/queue/queue_watch.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTreeView;

namespace ui {

class QueuePlanView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this. Plans while it is visible, on another thread.
    QueuePlanView(QueueWatch& watch, const RunsModel& runs, QWidget* parent = nullptr);

    QTreeView& table() const { return *m_table; }
    const QueuePlanModel& model() const { return *m_model; }

Q_SIGNALS:
    /// A row was activated.
    void runChosen(const QString& runId);
    void planned();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void plan();
    void planThere();
    void showPlan(const std::vector<launcher::PlanBar>& bars);

    QueueWatch& m_watch;
    const RunsModel& m_runs;
    QueuePlanModel* m_model;
    QTreeView* m_table;
    QLabel* m_empty;  ///< in place of the table when there is nothing to plan
    QTimer m_timer;
    bool m_isPlanning = false;
    bool m_isOutdated = false;  ///< the queue has changed while it was being planned
};

}  // namespace ui

// The queue dock: the order of the runs that wait, by drag or keys; hold, start now, remove; and when they will run.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/queue/queue_model.h"

#include <QWidget>

class QCheckBox;
class QSpinBox;
class QStackedWidget;
class QTreeView;

namespace ui {

class QueuePlanView;
class ViewFrame;

class QueueView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "queue.up" …, in @p actions. All must outlive this.
    QueueView(QueueWatch& watch, const RunsModel& runs, ActionRegistry& actions, QWidget* parent = nullptr);

    QTreeView& table() const { return *m_table; }
    const QueueModel& model() const { return *m_model; }
    QueuePlanView& plan() const { return *m_plan; }
    /// Shows the plan in place of the table.
    void askGpus();
    void showPlan(bool isShown);

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A row was activated.
    void runChosen(const QString& runId);
    /// The experiment of a run that waits is to be edited.
    void editRequested(const QString& runId);
    /// One sentence for the status bar.
    void statusMessage(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void registerActions(ActionRegistry& actions);
    QWidget* makeBar(ActionRegistry& actions);
    void fill();
    void refreshActions();
    QStringList chosen() const;  ///< the selected runs that wait, in their order
    bool areAllHeld(const QStringList& runs) const;

    QueueWatch& m_watch;
    ActionRegistry& m_actions;
    QueueModel* m_model;
    QTreeView* m_table;
    ViewFrame* m_frame;
    QueuePlanView* m_plan;
    QStackedWidget* m_pages;
    QSpinBox* m_atOnce;
    QCheckBox* m_stopsOnError;
};

}  // namespace ui

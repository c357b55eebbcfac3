// The inspector dock: the inspected run's overview, options, differences from other options, and events.
#pragma once
#include "ui/inspector/run_facts.h"
#include "ui/runs/runs_model.h"

#include <QWidget>

class QTabWidget;

namespace ui {

class EventsView;
class Overview;
class ParametersView;
class ViewFrame;

class Inspector : public QWidget {
    Q_OBJECT
public:
    /// @p runs, @p facts and @p selection must outlive this.
    Inspector(RunsModel& runs, FactsLoader& facts, Selection& selection, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The user wants to resume the run; the receiver does it.
    void resumeRequested(const QString& runId);

private:
    void showRun();
    void showFacts();
    void updateState();

    RunsModel& m_runs;
    FactsLoader& m_facts;
    Selection& m_selection;
    QTabWidget* m_tabs;
    Overview* m_overview;
    ParametersView* m_configuration;
    ParametersView* m_difference;
    ViewFrame* m_frame;
    QString m_error;  ///< why the facts could not be read the last time; empty: they could
};

}  // namespace ui

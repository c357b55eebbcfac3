// The inspector dock: the inspected run's overview, configuration and difference.
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
    /// The three must outlive this.
    Inspector(RunsModel& runs, FactsLoader& facts, Selection& selection, QWidget* parent = nullptr);

private:
    void showRun();
    void showAges();
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
};

}  // namespace ui

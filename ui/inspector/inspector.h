// The inspector dock: the inspected run's overview, options, differences from other options, and events.
#pragma once
#include "ui/inspector/run_facts.h"
#include "ui/runs/run_edits.h"
#include "ui/runs/runs_model.h"

#include <QString>
#include <QTimer>
#include <QWidget>

#include <optional>

class QTabWidget;

namespace ui {

class AnnotationsView;
class EventsView;
class Overview;
class ParametersView;
class ViewFrame;

class Inspector : public QWidget {
    Q_OBJECT
public:
    /// @p runs, @p facts and @p selection must outlive this.
    Inspector(RunsModel& runs, FactsLoader& facts, Selection& selection, QWidget* parent = nullptr);

    enum class Tab { Overview, Notes, Options, Difference, Events };  ///< in the order in which they are shown
    void showTab(Tab tab);
    /// Shows the tab of notes, with the name ready to be edited. No-op when no run is inspected.
    void editName();
    /// Writes what has been typed and is not written yet.
    void commitEdits();

Q_SIGNALS:
    /// The user wants to resume the run; the receiver does it.
    void resumeRequested(const QString& runId);
    /// The user pressed the button that shows what went wrong.
    void failureRequested(const QString& runId);
    /// The user has edited what belongs to the run; the receiver writes it.
    void edited(const QString& what, const QString& folder, const ui::RunEdits::Change& change);

private:
    void showRun();
    /// The same, a little later unless the run's state has changed.
    void showRunSoon();
    std::optional<launcher::RunState> stateOfInspected() const;
    void showFacts();
    void updateState();

    RunsModel& m_runs;
    FactsLoader& m_facts;
    Selection& m_selection;
    QTabWidget* m_tabs;
    Overview* m_overview;
    ParametersView* m_configuration;
    ParametersView* m_difference;
    AnnotationsView* m_annotations;
    ViewFrame* m_frame;
    QTimer m_pace;              ///< active: the run has just been shown
    bool m_isOutdated = false;  ///< the run has changed since it was shown
    std::optional<launcher::RunState> m_stateShown;
    QString m_factsShown;       ///< whose facts were shown the last time
    QString m_error;  ///< why the facts could not be read the last time; empty: they could
};

}  // namespace ui

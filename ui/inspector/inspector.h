// The inspector dock: the inspected run's overview, options, differences from other options, and events.
#pragma once
#include "ui/inspector/run_facts.h"
#include "ui/runs/run_edits.h"
#include "ui/runs/runs_model.h"
#include "ui/store/index_error.h"

#include <QString>
#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

class QTabWidget;

namespace ui {

class ActionRegistry;
class AnnotationsView;
class EventsView;
class Overview;
class ParametersView;

class Inspector : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "inspector.copy" …, in @p actions. All must outlive this.
    Inspector(RunsModel& runs, FactsLoader& facts, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);

    enum class Tab { Overview, Notes, Options, Difference, Events };  ///< in the order in which they are shown
    void showTab(Tab tab);
    // Each shows its tab and there, as soon as the inspected run has been read, the place in it, selected.
    void showOption(const QString& key);
    void showEvent(std::int64_t unixMs, const std::string& message);
    void showInNote(const QString& text);
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
    void registerActions(ActionRegistry& actions);
    void showRun();
    /// The same, a little later unless the run's state has changed.
    void showRunSoon();
    std::optional<launcher::RunState> stateOfInspected() const;
    void showFacts();
    void revealWanted();
    void readAgain();
    void updateState();

    RunsModel& m_runs;
    FactsLoader& m_facts;
    Selection& m_selection;
    QTabWidget* m_tabs;
    EventsView* m_events;
    Overview* m_overview;
    ParametersView* m_configuration;
    ParametersView* m_difference;
    AnnotationsView* m_annotations;
    ViewFrame* m_frame;
    QTimer m_pace;              ///< active: the run has just been shown
    bool m_isOutdated = false;  ///< the run has changed since it was shown
    std::optional<launcher::RunState> m_stateShown;
    QString m_factsShown;       ///< whose facts were shown the last time
    std::function<void()> m_reveal;  ///< shows what is wanted of the inspected run, whose facts are still to come
    std::optional<ViewError> m_error;  ///< why the facts could not be read the last time; nullopt: they could
};

}  // namespace ui

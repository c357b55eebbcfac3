#include "ui/inspector/inspector.h"

#include "ui/base/action_registry.h"
#include "ui/base/edged_fusion.h"
#include "ui/base/kept_controls.h"
#include "ui/inspector/annotations_view.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/overview.h"
#include "ui/inspector/parameters_view.h"

#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <utility>

namespace ui {
namespace {

/// Between two texts of the same run: nobody reads numbers that change faster, and each is laid out again.
constexpr int kMinShowIntervalMs = 500;
constexpr int kNarrowest = 32;  ///< characters

}  // namespace

Inspector::Inspector(RunsModel& runs, FactsLoader& facts, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_facts(facts)
    , m_selection(selection)
    , m_tabs(new QTabWidget)
    , m_events(new EventsView(facts))
    , m_overview(new Overview)
    , m_configuration(new ParametersView(ParametersView::Show::All))
    , m_difference(new ParametersView(ParametersView::Show::Differences))
    , m_annotations(new AnnotationsView)
    , m_frame(new ViewFrame(m_tabs, this))
{
    auto* area = new QScrollArea;
    area->setWidget(m_overview);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setAccessibleName(tr("Overview"));
    area->setMinimumWidth(fontMetrics().averageCharWidth() * kNarrowest);
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setProperty(kNarrowTabs, true);
    // Shortened titles say more than two arrows.
    m_tabs->setElideMode(Qt::ElideRight);
    m_tabs->setUsesScrollButtons(false);
    keep(*m_tabs, "tab");
    m_tabs->addTab(area, tr("Overview"));
    m_tabs->addTab(m_annotations, tr("Notes"));
    m_tabs->addTab(m_configuration, tr("Options"));
    m_tabs->addTab(m_difference, tr("Difference"));
    m_tabs->addTab(m_events, tr("Events"));
    for (int i = 0; i < m_tabs->count(); ++i)
        m_tabs->setTabToolTip(i, m_tabs->tabText(i));
    connect(m_annotations, &AnnotationsView::edited, this, &Inspector::edited);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);

    connect(&m_facts, &FactsLoader::loaded, this, &Inspector::showFacts);
    connect(&m_facts, &FactsLoader::failed, this, [this](storage::StoreError::Kind, const QString& message) {
        m_error = indexError(m_facts.home(), message, [this] { readAgain(); });
        updateState();
    });
    connect(&m_selection, &Selection::inspectedChanged, this, [this] {
        m_reveal = {};
        m_error.reset();
        showRun();
    });
    connect(&m_runs, &RunsModel::runsChanged, this, &Inspector::showRun);
    connect(&m_runs, &RunsModel::ticked, this, &Inspector::showRun);  // ages grow, those of ended runs too
    connect(m_overview, &Overview::resumeRequested, this, &Inspector::resumeRequested);
    connect(m_overview, &Overview::failureRequested, this, &Inspector::failureRequested);
    connect(&m_runs, &RunsModel::entryChanged, this, [this](const QString& id) {
        if (id == m_selection.inspected())
            showRunSoon();
    });
    m_pace.setSingleShot(true);
    m_pace.setInterval(kMinShowIntervalMs);
    connect(&m_pace, &QTimer::timeout, this, [this] {
        if (m_isOutdated)
            showRun();
    });
    registerActions(actions);
    updateState();
}

void Inspector::registerActions(ActionRegistry& actions)
{
    const QString place = QStringLiteral("inspector");
    actions.addPlace({place, tr("Inspector"), {}}, this);
    QAction* const copy = actions.add({"inspector.copy", tr("Copy"), "copy", QKeySequence(QKeySequence::Copy), tr("Copy the selected options"), {}, place}, [this] {
        const QWidget* const tab = m_tabs->currentWidget();
        if (tab == m_configuration || tab == m_difference)
            (tab == m_configuration ? m_configuration : m_difference)->copySelected();
    });
    copy->setShortcutContext(Qt::WidgetShortcut);
    for (const ParametersView* const options : {m_configuration, m_difference})
        options->table().addAction(copy);
    const auto refresh = [this, &actions] {
        const QWidget* const tab = m_tabs->currentWidget();
        actions.setEnabled(QStringLiteral("inspector.copy"), tab == m_configuration || tab == m_difference, tr("Go to the tab Options or Difference."));
    };
    connect(m_tabs, &QTabWidget::currentChanged, this, refresh);
    refresh();
    actions.addFixed({place, tr("Save what is typed"), {QKeySequence(QKeySequence::Save)}, tr("In the fields of the tab Notes, which are saved when the focus leaves them, too")});
    actions.addFixed({place, tr("Take back what is typed"), {QKeySequence(Qt::Key_Escape)}, {}});
}

void Inspector::showRunSoon()
{
    m_isOutdated = true;
    if (!m_pace.isActive() || stateOfInspected() != m_stateShown)
        showRun();
}

std::optional<launcher::RunState> Inspector::stateOfInspected() const
{
    const RunEntry* const entry = m_runs.entry(m_selection.inspected());
    return entry && entry->status ? std::optional(entry->status->state) : std::nullopt;
}

void Inspector::showRun()
{
    m_isOutdated = false;
    m_pace.start();
    m_stateShown = stateOfInspected();
    updateState();
    if (const RunEntry* const entry = m_runs.entry(m_selection.inspected())) {
        m_overview->show(*entry, m_facts.facts());
        m_annotations->show(*entry);
    }
}

void Inspector::showTab(Tab tab) { m_tabs->setCurrentIndex(static_cast<int>(tab)); }

void Inspector::showOption(const QString& key)
{
    showTab(Tab::Options);
    m_reveal = [this, key] { m_configuration->reveal(key); };
    revealWanted();
}

void Inspector::showEvent(std::int64_t unixMs, const std::string& message)
{
    showTab(Tab::Events);
    m_reveal = [this, unixMs, message] { m_events->reveal(unixMs, message); };
    revealWanted();
}

void Inspector::showInNote(const QString& text)
{
    showTab(Tab::Notes);
    m_annotations->reveal(text);
}

void Inspector::revealWanted()
{
    if (m_reveal && m_facts.facts().runId == m_selection.inspected())
        std::exchange(m_reveal, {})();
}

void Inspector::editName()
{
    if (!m_runs.entry(m_selection.inspected()))
        return;
    m_tabs->setCurrentWidget(m_annotations);
    m_annotations->editName();
}

void Inspector::commitEdits() { m_annotations->commit(); }

void Inspector::showFacts()
{
    m_error.reset();
    if (std::exchange(m_factsShown, m_facts.facts().runId) == m_facts.facts().runId)
        showRunSoon();
    else
        showRun();
    m_configuration->show(m_facts.facts());
    m_difference->show(m_facts.facts());
    revealWanted();
}

void Inspector::readAgain()
{
    m_error.reset();
    m_facts.load();
    updateState();
}

void Inspector::updateState()
{
    ViewState state;
    const RunEntry* const entry = m_runs.entry(m_selection.inspected());
    if (!entry)
        state.emptySentence = tr("Choose a run to see its details.");
    state.error = m_error;
    state.cancel = [this] {
        m_facts.cancel();
        m_error = cancelledReading([this] { readAgain(); });
        updateState();
    };
    state.isLoading = !m_error && entry && m_facts.facts().runId != m_selection.inspected();
    m_frame->setState(state);
}

}  // namespace ui

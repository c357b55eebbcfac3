#include "ui/plot/plots_view.h"

#include "ui/base/distinct_names.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/group_menu.h"
#include "ui/plot/group_names.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/plots_toolbar.h"

#include <QVBoxLayout>

#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr QSize kLeastPlot(460, 205);
constexpr auto kSettle = 100ms;  ///< after which a view that moved is taken to stay

}  // namespace

PlotsView::PlotsView(StoreService& service, Selection& selection, QWidget* parent, const PlotFeed::Limits& limits)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_feed(service, limits)
    , m_toolbar(new PlotsToolbar(m_viewState, this))
    , m_grid(new PlotGrid(m_viewState, kLeastPlot))
    , m_frame(new ViewFrame(m_grid, this))
{
    m_grid->setTabOrderAfter(&m_toolbar->lastControl());
    m_grid->setArrangeable();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_toolbar);
    layout->addWidget(m_frame, 1);

    connect(&m_selection, &Selection::drawnChanged, this, &PlotsView::applySelection);
    connect(&m_selection, &Selection::baselineChanged, this, &PlotsView::applyBaseline);
    connect(&m_viewState, &PlotViewState::settingsChanged, this, &PlotsView::applyBaseline);
    connect(&m_feed, &PlotFeed::updated, this, &PlotsView::applyFeed);
    connect(&m_viewState, &PlotViewState::smoothingChanged, this, [this] { m_feed.setSmoothing(m_viewState.smoothing()); });
    connect(&m_viewState, &PlotViewState::settingsChanged, this, [this] { m_viewState.setExtent(extentOf()); });
    connect(&m_viewState, &PlotViewState::settingsChanged, this, &PlotsView::choicesChanged);
    connect(&m_viewState, &PlotViewState::smoothingChanged, this, &PlotsView::choicesChanged);
    connect(&m_viewState, &PlotViewState::placeChanged, this, &PlotsView::choicesChanged);
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettle);
    connect(&m_settle, &QTimer::timeout, this, [this] { m_feed.setView(m_viewState.xAxis(), m_viewState.x()); });
    for (auto signal : {&PlotViewState::placeChanged, &PlotViewState::settingsChanged})
        connect(&m_viewState, signal, &m_settle, qOverload<>(&QTimer::start));
    connect(m_toolbar, &PlotsToolbar::metricsChosen, this,
        [this](const std::set<std::string>& metrics) { chooseMetrics(metrics); });
    connect(m_toolbar, &PlotsToolbar::defaultMetricsRequested, this, [this] { chooseMetrics({}); });
    connect(m_toolbar, &PlotsToolbar::hiddenPlotsRequested, this, &PlotsView::showHiddenPlots);
    connect(m_toolbar, &PlotsToolbar::metricsRequested, this, &PlotsView::metricsRequested);
    connect(m_grid, &PlotGrid::moveRequested, this, &PlotsView::movePlot);
    connect(m_grid, &PlotGrid::metricsDropped, this, &PlotsView::addMetrics);
    connect(m_grid, &PlotGrid::metricsDroppedOnto, this, &PlotsView::joinMetrics);
    connect(m_grid, &PlotGrid::separateRequested, this, &PlotsView::separateMetrics);
    connect(m_grid, &PlotGrid::hideRequested, this, &PlotsView::hidePlot);
    connect(m_grid, &PlotGrid::lineRequested, this, [this](const QStringList& lines) { Q_EMIT lineRequested(runsOf(lines)); });
    connect(m_grid, &PlotGrid::runsPointedOut, this, &PlotsView::inspectOneOf);
    connect(m_toolbar, &PlotsToolbar::saveImageRequested, m_grid, [this] { m_grid->saveImage(); });
    connect(m_toolbar, &PlotsToolbar::copyImageRequested, m_grid, [this] { m_grid->copyImage(); });
    connect(m_grid, &PlotGrid::statusMessage, this, &PlotsView::statusMessage);
    applySelection();
}

PlotsView::~PlotsView() = default;

QSize PlotsView::sizeHint() const
{
    return {2 * kLeastPlot.width() + 40, 640};
}

const std::vector<PlotPanel*>& PlotsView::panels() const
{
    return m_grid->panels();
}

void PlotsView::openGroups() { m_toolbar->openGroups(); }

void PlotsView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed.setActive(true);
}

void PlotsView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed.setActive(m_areMetricsShown);
}

void PlotsView::setMetricsShown(bool areShown)
{
    m_areMetricsShown = areShown;
    m_feed.setActive(areShown || isVisible());
}

PlotChoices PlotsView::choices() const
{
    PlotChoices choices = m_viewState.choices();
    choices.plots = m_arrangement;
    return choices;
}

void PlotsView::setChoices(const PlotChoices& choices)
{
    m_arrangement = choices.plots;
    m_viewState.setChoices(choices);
    rearrange();
}

void PlotsView::setEmptyActions(const QList<ViewAction>& actions)
{
    m_emptyActions = actions;
    showState();
}

void PlotsView::setHasRuns(bool hasRuns)
{
    m_hasRuns = hasRuns;
    showState();
}

void PlotsView::setStale(const QString& sentence)
{
    if (sentence == m_stale)
        return;
    m_stale = sentence;
    showState();
}

void PlotsView::setEnded(bool haveEnded) { m_frame->setEnded(haveEnded); }

std::optional<Moment> PlotsView::momentOf(const QString& runId) const
{
    const auto cursor = m_viewState.cursor();
    return cursor ? momentAt(m_feed.recorded(), runId.toStdString(), *cursor, m_viewState.xAxis()) : std::nullopt;
}

void PlotsView::pinTime(const QString& runId, double wallSeconds)
{
    if (const auto x = xOfTime(m_feed.recorded(), runId.toStdString(), wallSeconds, m_viewState.xAxis()))
        m_viewState.setPinned(x);
}

void PlotsView::pinStep(const QString& runId, std::int64_t step)
{
    m_wantedStep = WantedStep {runId, step};
    pinWanted();
}

void PlotsView::pinWanted()
{
    if (!m_wantedStep)
        return;
    const auto x = xOfStep(m_feed.recorded(), m_wantedStep->run.toStdString(), m_wantedStep->step, m_viewState.xAxis());
    if (x || !m_selection.isDrawn(m_wantedStep->run))
        m_wantedStep.reset();
    if (x)
        m_viewState.setPinned(x);
}

void PlotsView::applySelection()
{
    std::vector<std::string> runs;
    for (const Selection::DrawnRun& run : m_selection.drawn())
        runs.push_back(run.runId.toStdString());
    m_feed.setRuns(runs);
    readDifferingOptions();
    applyBaseline();
    applyFeed();
}

void PlotsView::applyBaseline()
{
    const bool showsDifferences = m_viewState.showsDifferences() && m_selection.drawn().size() > 1;
    m_feed.setBaseline(showsDifferences ? m_selection.baseline().toStdString() : std::string());
    m_feed.setGrouping(m_viewState.grouping());
    showState();
}

void PlotsView::readDifferingOptions()
{
    std::vector<std::string> runs;
    for (const Selection::DrawnRun& run : m_selection.drawn())
        runs.push_back(run.runId.toStdString());
    m_service.query(
        this, [runs](const storage::Store& store) { return differingOptions(store, runs); },
        [this](const std::vector<std::string>& keys) { m_toolbar->groupMenu().setDiffering(keys); },
        [](storage::StoreError::Kind, const QString&) {});  // the feed reports it; all options are still offered by the menu's dialog
}

/// What the plots show when they show differences or groups; empty when they do not.
QString PlotsView::derivedSentence() const
{
    if (m_feed.grouping().by != Grouping::By::Nothing && m_viewState.grouping().by != Grouping::By::Nothing)
        return groupingSentence(m_feed.grouping());
    if (!m_viewState.showsDifferences())
        return {};
    if (m_selection.drawn().size() < 2)
        return tr("Differences need two runs: draw another one.");
    for (const RunInfo& info : m_feed.runs()) {
        if (info.id == m_selection.baseline().toStdString())
            return tr("Differences from %1, at the steps that both runs have recorded").arg(QString::fromStdString(info.name));
    }
    return {};
}

void PlotsView::applyFeed()
{
    const bool isGrouped = m_feed.grouping().by != Grouping::By::Nothing;
    auto groups = m_arrangement.plots(m_feed.runs());
    for (PlotGroup& group : groups)
        group.isRankZeroOnly = group.isRankZeroOnly && !isGrouped;  // few lines, whatever the number of ranks
    if (m_feed.hasAnswer())
        m_grid->setGroups(groups);
    std::set<std::string> metrics;
    for (const PlotGroup& group : groups)
        metrics.insert(group.metrics.begin(), group.metrics.end());
    m_feed.setMetrics(metrics);
    const std::set<std::string> all = metricNames(m_feed.runs());
    m_toolbar->setMetrics(all, metrics, hiddenPlots());
    Q_EMIT metricsListed(all, metrics);
    Q_EMIT plotsListed(groups);

    const auto names = isGrouped ? groupNames(m_feed.runs(), drawnNames(), m_feed.grouping()) : drawnNames();
    m_viewState.setExtent(extentOf());
    for (PlotPanel* panel : m_grid->panels())
        panel->setLines(withDetails(linesOf(panel->group(), names, m_feed.lines())));
    pinWanted();
    showState();
    Q_EMIT linesShown();
}

std::vector<DrawnLine> PlotsView::withDetails(std::vector<DrawnLine> lines) const
{
    for (DrawnLine& line : lines)
        line.detail = m_feed.detailOf(line.data->key);
    return lines;
}

std::vector<DrawnRunName> PlotsView::drawnNames() const
{
    std::vector<DrawnRunName> runs;
    QStringList names, ids;
    for (const Selection::DrawnRun& run : m_selection.drawn()) {
        for (const RunInfo& info : m_feed.runs()) {
            if (info.id != run.runId.toStdString())
                continue;
            runs.push_back({info.id, {}, Look(run.look, info.line)});
            names << QString::fromStdString(info.name);
            ids << run.runId;
        }
    }
    names = distinctNames(names, ids);
    for (std::size_t run = 0; run < runs.size(); ++run)
        runs[run].name = names[qsizetype(run)];
    return runs;
}

/// The runs to which these keys of lines belong: they are those of groups when the plots show groups.
QStringList PlotsView::runsOf(const QStringList& lines) const
{
    const bool isGrouped = m_feed.grouping().by != Grouping::By::Nothing;
    QStringList runs;
    for (const RunInfo& info : m_feed.runs()) {
        if (lines.contains(QString::fromStdString(isGrouped ? info.group : info.id)))
            runs << QString::fromStdString(info.id);
    }
    return runs;
}

/// What is pinned is a moment of the run whose line the user points at.
void PlotsView::inspectOneOf(const QStringList& lines)
{
    const QStringList runs = runsOf(lines);
    if (!runs.isEmpty() && !runs.contains(m_selection.inspected()))
        m_selection.setInspected(runs.front());
}

Interval PlotsView::extentOf() const
{
    MinMax extent;
    for (const auto& [key, line] : m_feed.lines()) {
        const auto add = [&](const LinePoints& points) {
            if (points.isEmpty())
                return;
            for (const auto& stretch : points.stretches(m_viewState.xAxis())) {
                extent.add(points.x(stretch.first, m_viewState.xAxis()));
                extent.add(points.x(stretch.last - 1, m_viewState.xAxis()));
            }
        };
        add(line->points);
        if (m_viewState.showsSuperseded())
            for (const LinePoints& points : line->superseded)
                add(points);
    }
    return extent.isEmpty() ? Interval {0, 1} : Interval {extent.minimum, extent.maximum};
}

void PlotsView::showState()
{
    ViewState state;
    const bool isAnyDrawn = !m_selection.drawn().isEmpty();
    const bool hasAnswer = m_feed.hasAnswer();
    if (!isAnyDrawn && !m_hasRuns) {
        state.emptySentence = tr("No runs yet. Start one, and its curves appear here.");
        state.emptyActions = m_emptyActions;
        state.isEmptyOfRecords = true;
    } else if (!isAnyDrawn) {
        state.emptySentence = tr("No run is drawn. Click the eye of a run in the list to see its curves here.");
        state.emptyActions = m_emptyActions;
    } else if (hasAnswer && m_feed.runs().empty()) {
        state.emptySentence = tr("The runs that are drawn are not in the database.");
        state.emptyActions = {{tr("Read again"), [this] { m_service.readAgain(); }}};
        state.isEmptyOfRecords = true;
    } else if (hasAnswer && metricNames(m_feed.runs()).empty()) {
        state.emptySentence = tr("No step has been recorded yet. The first one will appear here automatically.");
        state.endedSentence = tr("No step has been recorded.");
        state.isEmptyOfRecords = true;
    } else if (hasAnswer && m_arrangement.plots(m_feed.runs()).empty() && hiddenPlots() > 0) {
        state.emptySentence = tr("All plots are hidden.");
        state.emptyActions = {{tr("Show hidden plots"), [this] { showHiddenPlots(); }}};
    } else if (m_arrangement.metrics && m_arrangement.metrics->empty()) {
        state.emptySentence = tr("No metric is chosen.");
        state.emptyActions = {{tr("Show the default metrics"), [this] { chooseMetrics({}); }}};
    }
    const QString derived = derivedSentence();
    state.stale = derived.isEmpty() || m_stale.isEmpty() ? derived + m_stale : tr("%1 · %2").arg(derived, m_stale);
    state.isLoading = isAnyDrawn && (!hasAnswer || m_feed.isLoading()) && m_feed.error().isEmpty();
    state.cancel = [this] { m_feed.cancel(); };
    state.error = m_feed.viewError(tr("The curves could not be read. %1"));
    m_frame->setState(state);
}

}  // namespace ui

#include "ui/plot/plots_view.h"

#include "ui/plot/plot_image.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/plots_toolbar.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QGuiApplication>
#include <QPointer>
#include <QScrollArea>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

constexpr int kMinPlotWidth = 460;

}  // namespace

PlotsView::PlotsView(StoreService& service, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_feed(service)
    , m_toolbar(new PlotsToolbar(m_viewState, this))
    , m_scroll(new QScrollArea)
    , m_page(new QWidget)
    , m_grid(new QGridLayout(m_page))
    , m_frame(new ViewFrame(m_scroll, this))
{
    m_grid->setContentsMargins(6, 0, 6, 6);
    m_grid->setSpacing(6);
    m_scroll->setWidget(m_page);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
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
    connect(m_toolbar, &PlotsToolbar::metricsChosen, this,
        [this](const std::set<std::string>& metrics) { chooseMetrics(metrics); });
    connect(m_toolbar, &PlotsToolbar::defaultMetricsRequested, this, [this] { chooseMetrics({}); });
    connect(m_toolbar, &PlotsToolbar::saveImageRequested, this, [this] { saveImage(); });
    connect(m_toolbar, &PlotsToolbar::copyImageRequested, this, [this] { copyImage(); });
    applySelection();
}

PlotsView::~PlotsView() = default;

QSize PlotsView::sizeHint() const
{
    return {2 * kMinPlotWidth + 40, 640};
}

void PlotsView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed.setActive(true);
}

void PlotsView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed.setActive(false);
}

void PlotsView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void PlotsView::chooseMetrics(const std::optional<std::set<std::string>>& metrics)
{
    m_chosen = metrics;
    applyFeed();
    Q_EMIT choicesChanged();
}

PlotChoices PlotsView::choices() const
{
    PlotChoices choices = m_viewState.choices();
    choices.metrics = m_chosen;
    return choices;
}

void PlotsView::setChoices(const PlotChoices& choices)
{
    m_viewState.setChoices(choices);
    chooseMetrics(choices.metrics);
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

void PlotsView::applySelection()
{
    std::vector<std::string> runs;
    for (const Selection::DrawnRun& run : m_selection.drawn())
        runs.push_back(run.runId.toStdString());
    m_feed.setRuns(runs);
    applyBaseline();
    applyFeed();
}

void PlotsView::applyBaseline()
{
    const bool showsDifferences = m_viewState.showsDifferences() && m_selection.drawn().size() > 1;
    m_feed.setBaseline(showsDifferences ? m_selection.baseline().toStdString() : std::string());
    showState();
}

/// What the plots show when they show differences; empty when they do not.
QString PlotsView::differencesSentence() const
{
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
    const auto groups = m_chosen ? groupsOf(*m_chosen) : defaultGroups(m_feed.runs());
    if (m_feed.hasAnswer())
        setGroups(groups);
    std::set<std::string> metrics;
    for (const PlotGroup& group : groups)
        metrics.insert(group.metrics.begin(), group.metrics.end());
    m_feed.setMetrics(metrics);
    m_toolbar->setMetrics(metricNames(m_feed.runs()), metrics);

    std::vector<DrawnRunName> names;
    for (const Selection::DrawnRun& run : m_selection.drawn())
        for (const RunInfo& info : m_feed.runs())
            if (info.id == run.runId.toStdString())
                names.push_back({info.id, QString::fromStdString(info.name), run.look});
    m_viewState.setExtent(extentOf());
    for (PlotPanel* panel : m_panels)
        panel->setLines(linesOf(panel->group(), names, m_feed.lines()));
    showState();
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
    } else if (!isAnyDrawn) {
        state.emptySentence = tr("No run is drawn. Click the eye of a run in the list to see its curves here.");
    } else if (hasAnswer && m_feed.runs().empty()) {
        state.emptySentence = tr("The runs that are drawn are not in the database.");
        state.emptyActions = {{tr("Read again"), [this] { m_service.readAgain(); }}};
    } else if (hasAnswer && metricNames(m_feed.runs()).empty()) {
        state.emptySentence = tr("No step has been recorded yet. The first one will appear here automatically.");
    } else if (m_chosen && m_chosen->empty()) {
        state.emptySentence = tr("No metric is chosen.");
        state.emptyActions = {{tr("Show the default metrics"), [this] { chooseMetrics({}); }}};
    }
    const QString differences = differencesSentence();
    state.stale = differences.isEmpty() || m_stale.isEmpty() ? differences + m_stale : tr("%1 · %2").arg(differences, m_stale);
    state.isLoading = isAnyDrawn && (!hasAnswer || m_feed.isLoading()) && m_feed.error().isEmpty();
    if (!m_feed.error().isEmpty())
        state.error = ViewError {tr("The curves could not be read. %1").arg(m_feed.error()), {}, {},
            {{tr("Retry"), [this] { m_feed.retry(); }}}};
    m_frame->setState(state);
}

void PlotsView::setGroups(const std::vector<PlotGroup>& groups)
{
    const bool isSame = std::equal(groups.begin(), groups.end(), m_panels.begin(), m_panels.end(),
        [](const PlotGroup& group, const PlotPanel* panel) { return group == panel->group(); });
    if (isSame)
        return;
    std::vector<PlotPanel*> panels;
    for (const PlotGroup& group : groups) {
        const auto found = std::find_if(m_panels.begin(), m_panels.end(),
            [&](const PlotPanel* panel) { return panel && panel->group() == group; });
        panels.push_back(found == m_panels.end() ? makePanel(group) : *found);
        if (found != m_panels.end())
            *found = nullptr;
    }
    for (PlotPanel* panel : m_panels)
        delete panel;
    m_panels = panels;
    m_columns = 0;
    arrange();
}

PlotPanel* PlotsView::makePanel(const PlotGroup& group)
{
    auto* panel = new PlotPanel(group, m_viewState, m_page);
    connect(panel, &PlotPanel::saveImageRequested, this, [this, panel] { saveImage({panel}); });
    connect(panel, &PlotPanel::copyImageRequested, this, [this, panel] { copyImage({panel}); });
    return panel;
}

PlotImage PlotsView::imageOf(const std::vector<PlotPanel*>& panels) const
{
    return panels.empty() ? PlotImage {m_panels, m_columns} : PlotImage {panels, 1};
}

void PlotsView::saveImage(const std::vector<PlotPanel*>& panels)
{
    if (m_panels.empty())
        return;
    const QString name = panels.empty() ? tr("plots") : panels.front()->title();
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
    auto* dialog = new QFileDialog(this, tr("Save %1 as a picture").arg(name), folder.path(), imageFilters());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffixOf({}));
    dialog->selectFile(QString(name).replace(QLatin1Char('/'), QLatin1Char('-')) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    // The panel may be gone when the dialog is accepted.
    const QPointer<PlotPanel> chosen = panels.empty() ? nullptr : panels.front();
    connect(dialog, &QFileDialog::fileSelected, this, [this, chosen, isAll = panels.empty()](const QString& file) {
        if (m_panels.empty() || (!isAll && !chosen))
            return;
        writeImage(imageOf(isAll ? std::vector<PlotPanel*>() : std::vector<PlotPanel*> {chosen}), file, this,
            [this, file](const QString& error) { Q_EMIT statusMessage(error.isEmpty() ? tr("Saved to %1.").arg(file) : error); });
    });
    dialog->open();
}

void PlotsView::copyImage(const std::vector<PlotPanel*>& panels)
{
    if (m_panels.empty())
        return;
    QGuiApplication::clipboard()->setImage(paintedImage(imageOf(panels), std::max(1.0, devicePixelRatioF())));
    Q_EMIT statusMessage(panels.empty() ? tr("Copied all plots as a picture.") : tr("Copied %1 as a picture.").arg(panels.front()->title()));
}

void PlotsView::arrange()
{
    const int columns = std::clamp(width() / kMinPlotWidth, 1, 3);
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (std::size_t index = 0; index < m_panels.size(); ++index) {
        m_grid->removeWidget(m_panels[index]);
        m_grid->addWidget(m_panels[index], static_cast<int>(index) / columns, static_cast<int>(index) % columns);
        m_panels[index]->show();
    }
    for (int column = 0; column < 3; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    QWidget* before = m_toolbar;
    for (PlotPanel* panel : m_panels) {
        setTabOrder(before, &panel->canvas());
        before = &panel->canvas();
    }
}

}  // namespace ui

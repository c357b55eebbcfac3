#include "ui/steps/steps_view.h"

#include "engine/contract/run/journal.h"
#include "ui/base/action_registry.h"
#include "ui/base/format.h"
#include "ui/base/kept_controls.h"
#include "ui/plot/lines/moment.h"
#include "ui/steps/bin_text.h"
#include "ui/steps/chart_panel.h"
#include "ui/steps/parts_chart.h"
#include "ui/steps/parts_legend.h"
#include "ui/steps/rank_map.h"
#include "ui/steps/straggler.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

namespace metric = contract::metric;

enum class Part { Steps, Rounds };
constexpr std::size_t kPointsAtOnce = 250'000;  ///< put into bins in one turn of the event loop: some milliseconds
constexpr std::size_t kLastSteps = 100;  ///< that the sentence on a straggler is about, if there are so many

std::vector<std::string> stepMetrics()
{
    std::vector<std::string> all = partsMetrics();
    for (const char* name : {metric::kStepTime, metric::kReserved, metric::kResident})
        all.emplace_back(name);
    return all;
}

/// Controls above a chart. The last one takes the space that is left.
QWidget* column(const std::vector<QWidget*>& controls, QWidget* chart)
{
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout;
    for (QWidget* control : controls)
        row->addWidget(control, control == controls.back() ? 1 : 0);
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(4);
    layout->addLayout(row);
    layout->addWidget(chart, 1);
    return widget;
}

}  // namespace

StepsView::StepsView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_feed(service)
{
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->setChildrenCollapsible(false);
    charts->addWidget(makeParts(actions));
    charts->addWidget(makeMap(actions));
    charts->setSizes({6000, 4000});
    keep(*charts, "splitter");
    m_straggler = new QLabel;
    m_straggler->setWordWrap(true);
    m_straggler->setContentsMargins(6, 4, 6, 0);
    auto* content = new QWidget;
    auto* lines = new QVBoxLayout(content);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addWidget(m_straggler);
    lines->addWidget(charts, 1);
    m_frame = new ViewFrame(content, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);

    std::set<std::string> metrics;
    for (const auto& names : {stepMetrics(), roundMetrics()})
        metrics.insert(names.begin(), names.end());
    m_feed.setMetrics(metrics);
    connect(m_chart, &StepChart::shownRangeChanged, m_map, [this](const QCPRange& range) {
        if (!areRoundsShown() && !m_isAxisChanging)
            m_map->showRange(range);
    });
    connect(m_map, &StepChart::shownRangeChanged, m_chart, [this](const QCPRange& range) {
        if (!areRoundsShown() && !m_isAxisChanging)
            m_chart->showRange(range);
    });
    for (StepChart* chart : {static_cast<StepChart*>(m_chart), static_cast<StepChart*>(m_map)})
        connect(chart, &StepChart::chosen, this, &StepsView::choose);
    connect(&m_selection, &Selection::inspectedChanged, this, &StepsView::applySelection);
    connect(&m_feed, &PlotFeed::updated, this, [this] {
        applyFeed();
        // A dock that lies behind another one is not hidden. Drawing what nobody sees would take as long as drawing the plots.
        m_isOutOfSight = visibleRegion().isEmpty();
        m_feed.setActive(!m_isOutOfSight);
    });
    registerActions(actions);
    applySelection();
}

void StepsView::registerActions(ActionRegistry& actions)
{
    const QString place = QStringLiteral("steps");
    actions.addPlace({place, tr("Steps"), {}}, this);
    // Their keys act on the charts and their tables only, see ChartPanel.
    actions.add({"steps.fit", tr("Show all"), {}, QKeySequence(Qt::Key_F), tr("Show all steps"), {}, place}, [this] { currentPanel().chart().fit(); });
    actions.add({"steps.table", tr("Numbers as a table"), {}, QKeySequence(Qt::Key_T), tr("Show the numbers as a table, or the chart"), {}, place},
        [this] { currentPanel().setShowsTable(!currentPanel().showsTable()); });
    actions.addFixed({place, tr("Move the view"), {Qt::Key_Left, Qt::Key_Right}, {}});
    actions.addFixed({place, tr("Mark another step"), {Qt::SHIFT | Qt::Key_Left, Qt::SHIFT | Qt::Key_Right}, {}});
    actions.addFixed({place, tr("Another rank"), {Qt::Key_Up, Qt::Key_Down}, {}});
    actions.addFixed({place, tr("Zoom"), {Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Equal}, {}});
    actions.addFixed({place, tr("Back from the table"), {Qt::Key_Escape}, {}});
}

ChartPanel& StepsView::currentPanel() const { return m_mapPanel->isAncestorOf(focusWidget()) ? *m_mapPanel : *m_partsPanel; }

StepsView::~StepsView() = default;

QWidget* StepsView::makeParts(const ActionRegistry& actions)
{
    m_what = new QComboBox;
    m_what->addItems({tr("Parts of steps"), tr("Parts of rounds")});
    m_what->setAccessibleName(tr("What is divided into parts"));
    m_rank = new QComboBox;
    m_rank->setAccessibleName(tr("Rank"));
    keep(*m_what, "what");
    keep(*m_rank, "rank");
    m_chart = new PartsChart;
    m_legend = new PartsLegend(*m_chart);
    connect(m_what, &QComboBox::currentIndexChanged, this, [this] {
        showParts();
        m_chart->fit();
    });
    connect(m_rank, &QComboBox::currentIndexChanged, this, &StepsView::showParts);
    m_partsPanel = new ChartPanel(m_chart, actions);
    return column({m_what, m_rank, m_legend}, m_partsPanel);
}

QWidget* StepsView::makeMap(const ActionRegistry& actions)
{
    m_quantity = new QComboBox;
    m_quantity->addItems({tr("Computing by rank"), tr("Waiting by rank"), tr("Step time by rank"), tr("Memory by rank")});
    m_quantity->setAccessibleName(tr("What is shown of each rank"));
    keep(*m_quantity, "quantity");
    m_map = new RankMap;
    connect(m_quantity, &QComboBox::currentIndexChanged, this, &StepsView::showMap);
    m_mapPanel = new ChartPanel(m_map, actions);
    return column({m_quantity, new QWidget}, m_mapPanel);
}

void StepsView::showStep(const std::optional<std::int64_t>& step)
{
    m_marked = step;
    showMark();
}

void StepsView::showMark()
{
    const XAxis axis = m_steps.axis();
    std::optional<double> x;
    if (m_marked && axis == XAxis::Step)
        x = static_cast<double>(*m_marked) + 0.5;
    else if (m_marked)
        x = xOfStep(m_feed.recorded(), m_selection.inspected().toStdString(), *m_marked, axis);
    const auto mark = x ? std::optional(StepChart::Mark {*m_marked, *x}) : std::nullopt;
    m_chart->setMark(mark);
    m_map->setMark(mark);
}

void StepsView::choose(double x)
{
    if (m_steps.axis() == XAxis::Step)
        Q_EMIT stepChosen(static_cast<std::int64_t>(std::floor(x)));
    else if (const auto moment = momentAt(m_feed.recorded(), m_selection.inspected().toStdString(), x, m_steps.axis()))
        Q_EMIT stepChosen(moment->step);
}

void StepsView::setXAxis(XAxis axis)
{
    if (axis == m_wantedAxis)
        return;
    m_wantedAxis = axis;
    applyFeed();
}

/// Begins anew when the axis is another one: bins of one axis say nothing of another.
void StepsView::applyAxis()
{
    const bool isThere = std::ranges::all_of(m_feed.lines(), [this](const auto& entry) { return entry.second->points.has(m_wantedAxis); });
    const XAxis axis = isThere ? m_wantedAxis : XAxis::Step;
    if (axis == m_steps.axis())
        return;
    m_isAxisChanging = true;
    m_steps = StepTimes(axis);
    m_rounds = StepTimes(axis);
    m_chart->setAxis(axis);
    m_map->setAxis(axis);
}

void StepsView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_feed.setActive(true);
}

void StepsView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_feed.setActive(false);
}

void StepsView::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    if (std::exchange(m_isOutOfSight, false))
        m_feed.setActive(true);
}

void StepsView::applySelection()
{
    const QString run = m_selection.inspected();
    m_feed.setRuns(run.isEmpty() ? std::vector<std::string>() : std::vector {run.toStdString()});
    applyFeed();
    m_chart->fit();
    m_map->fit();
}

void StepsView::applyFeed()
{
    applyAxis();
    const bool areAllSteps = m_steps.update(m_feed.lines(), stepMetrics(), kPointsAtOnce), areAllRounds = m_rounds.update(m_feed.lines(), roundMetrics(), kPointsAtOnce);
    if (!areAllSteps || !areAllRounds)
        QTimer::singleShot(0, this, &StepsView::applyFeed);
    offerRounds();
    offerRanks();
    showParts();
    showMap();
    if (std::exchange(m_isAxisChanging, false)) {
        m_chart->fit();
        m_map->fit();
        showMark();
    }
    showStraggler();
    showState();
}

bool StepsView::areRoundsShown() const
{
    return !m_rounds.isEmpty() && m_what->currentIndex() == static_cast<int>(Part::Rounds);
}

void StepsView::offerRounds()
{
    m_what->setVisible(!m_rounds.isEmpty());
}

void StepsView::offerRanks()
{
    const std::vector<int> ranks = m_steps.ranks();
    if (m_rank->count() != static_cast<int>(ranks.size()) + 1) {
        const QSignalBlocker blocker(m_rank);
        const int shown = m_rank->currentData().isValid() ? m_rank->currentData().toInt() : -1;
        m_rank->clear();
        m_rank->addItem(tr("Mean of all ranks"), -1);
        for (const int rank : ranks)
            m_rank->addItem(tr("Rank %1").arg(rank), rank);
        m_rank->setCurrentIndex(std::max(0, m_rank->findData(shown)));
    }
}

void StepsView::showParts()
{
    const bool areRounds = areRoundsShown();
    m_rank->setVisible(!areRounds && m_steps.ranks().size() > 1);
    const int rank = m_rank->currentData().toInt();
    m_chart->setParts(areRounds ? partsOfRounds(m_rounds) : partsOfSteps(m_steps, rank < 0 ? std::nullopt : std::optional(rank)));
    m_legend->refresh();
    nameCharts();
}

void StepsView::showMap()
{
    m_map->setTimes(m_steps, static_cast<RankQuantity>(m_quantity->currentIndex()));
    nameCharts();
}

/// What a screen reader says of the charts is what they show, in one sentence each.
void StepsView::nameCharts()
{
    m_map->setAccessibleName(m_map->summary(m_quantity->currentText()));
    const StackedParts& parts = m_chart->parts();
    QStringList said = {m_what->currentText()};
    if (!m_rank->isHidden())
        said << m_rank->currentText();
    if (parts.bins() > 0)
        said << binWords(parts.firstBin, static_cast<std::int64_t>(parts.bins()), parts.width, parts.axis);
    m_chart->setAccessibleName((said + m_legend->texts()).join(QStringLiteral(", ")));
}

void StepsView::showStraggler()
{
    const auto straggler = findStraggler(rankLoads(m_steps, kLastSteps));
    m_straggler->setVisible(straggler.has_value());
    if (straggler)
        m_straggler->setText(tr("Rank %1 holds the others up: it computes %2 longer than they do, and they wait %3 a step (last %4 steps).")
                                 .arg(straggler->rank)
                                 .arg(formatPercent(straggler->excess, 0), formatValue(straggler->waitingMs, Unit::Milliseconds), formatCount(std::int64_t(straggler->steps))));
}

void StepsView::showState()
{
    ViewState state;
    const bool isAnyInspected = !m_selection.inspected().isEmpty();
    if (!isAnyInspected)
        state.emptySentence = tr("No run is selected. Choose one in the list to see where the time of its steps goes.");
    else if (m_feed.hasAnswer() && !m_feed.isLoading() && m_steps.isEmpty()) {
        state.emptySentence = tr("No step is finished yet.");
        state.endedSentence = tr("This run has finished no step.");
        state.isEmptyOfRecords = true;
    }
    state.isLoading = isAnyInspected && (!m_feed.hasAnswer() || m_feed.isLoading()) && m_feed.error().isEmpty();
    state.cancel = [this] { m_feed.cancel(); };
    state.error = m_feed.viewError(tr("The times could not be read. %1"));
    m_frame->setState(state);
}

}  // namespace ui

#include "ui/plot/lines/plot_feed.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace ui {
namespace {

constexpr int kMinQueryIntervalMs = 33;
/// Points subtracted or averaged on the GUI thread after one query: some milliseconds.
constexpr std::size_t kMaxDerivedHere = 30'000;

}  // namespace

PlotFeed::PlotFeed(StoreService& service, QObject* parent)
    : PlotFeed(service, Limits(), parent)
{
}

PlotFeed::PlotFeed(StoreService& service, const Limits& limits, QObject* parent)
    : QObject(parent)
    , m_service(service)
    , m_limits(limits)
{
    m_pool.setMaxThreadCount(1);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &PlotFeed::ask);
    connect(&m_service, &StoreService::changed, this, &PlotFeed::takeChanges);
    connect(&m_service, &StoreService::opened, this, &PlotFeed::askAllSoon);
}

PlotFeed::~PlotFeed()
{
    m_isClosing = true;
    m_pool.waitForDone();
}

void PlotFeed::setRuns(const std::vector<std::string>& runs)
{
    if (m_runs == runs)
        return;
    m_runs = runs;
    m_hasAnswer = false;
    askAllSoon();
}

void PlotFeed::setMetrics(const std::set<std::string>& metrics)
{
    if (m_metrics == metrics)
        return;
    m_metrics = metrics;
    askAllSoon();
}

void PlotFeed::setSmoothing(const Smoothing& smoothing)
{
    if (m_smoothing == smoothing)
        return;
    m_smoothing = smoothing;
    askSoon();
}

void PlotFeed::setBaseline(const std::string& run)
{
    if (m_baseline == run)
        return;
    m_baseline = run;
    m_derived.setRecipe({m_baseline, m_derived.recipe().grouping, m_derived.recipe().groups});
    askSoon();
}

void PlotFeed::setGrouping(const Grouping& grouping)
{
    if (m_grouping == grouping)
        return;
    m_grouping = grouping;
    askAllSoon();
}

void PlotFeed::setActive(bool isActive)
{
    m_isActive = isActive;
    if (m_isActive && m_isStale)
        askSoon();
}

void PlotFeed::retry()
{
    m_error.clear();
    askAllSoon();
}

void PlotFeed::cancel()
{
    m_ticket.cancel();
    if (std::exchange(m_isReading, false))
        m_isAsking = false;
    m_pace.stop();
    m_isStale = false;
    m_isLoading = false;
    m_isAllChanged = true;
    m_error = tr("Reading was cancelled.");
    m_isCancelled = true;
    Q_EMIT updated();
}

std::optional<ViewError> PlotFeed::viewError(const QString& sentence)
{
    if (m_error.isEmpty())
        return {};
    const auto again = [this] { retry(); };
    return m_isCancelled ? cancelledReading(again) : indexError(m_service.home(), sentence.arg(m_error), again);
}

void PlotFeed::takeChanges(const storage::Changes& changes)
{
    using enum storage::Part;
    const std::size_t before = m_changed.size();
    for (const std::string& run : m_runs) {
        if (changes.concerns(run, {Run, Series}))
            m_changed.insert(run);
    }
    if (m_changed.size() != before)
        askSoon();
}

void PlotFeed::askAllSoon()
{
    m_isAllChanged = true;
    askSoon();
}

void PlotFeed::askSoon()
{
    m_isStale = true;
    if (!m_isActive || m_isAsking || m_pace.isActive())
        return;
    const qint64 passed = m_sinceQuery.isValid() ? m_sinceQuery.elapsed() : kMinQueryIntervalMs;
    m_pace.start(std::max(0, kMinQueryIntervalMs - static_cast<int>(std::min<qint64>(passed, 1000))));
}

LoadRequest PlotFeed::request(const std::vector<std::string>& runs) const
{
    LoadRequest request;
    request.runs = runs;
    request.metrics = m_metrics;
    request.grouping = m_grouping;
    request.longestSeries = m_limits.heldWhole;
    for (const auto& [key, line] : m_lines) {
        if (std::ranges::find(runs, key.run) != runs.end())
            request.known[key] = {line->pieces, line->lastStep};
    }
    return request;
}

void PlotFeed::ask()
{
    if (!m_isActive || m_isAsking)
        return;
    m_isAsking = true;
    m_isStale = false;
    m_sinceQuery.start();
    dropUnselectedLines();
    std::vector<std::string> asked;
    std::ranges::copy_if(m_runs, std::back_inserter(asked),
        [this](const std::string& run) { return m_isAllChanged || m_changed.contains(run); });
    m_isAllChanged = false;
    m_changed.clear();
    m_isReading = true;
    m_ticket = m_service.query(
        this, [request = request(asked)](const storage::Store& store) { return loadLines(store, request); },
        [this, asked, runs = m_runs, grouping = m_grouping](LoadResult result) {
            m_isReading = false;
            m_hasAnswer = runs == m_runs;
            takeInfos(std::move(result.runs), asked);
            applyGroups(grouping);
            applyResult(result);
        },
        [this](storage::StoreError::Kind, const QString& message) {
            m_isReading = false;
            m_error = message;
            m_isCancelled = false;
            m_isAllChanged = true;
            m_isAsking = false;
            m_isLoading = false;
            Q_EMIT updated();
        },
        QueryLength::Long);
}

void PlotFeed::dropUnselectedLines()
{
    std::erase_if(m_lines, [this](const auto& entry) {
        const LineKey& key = entry.first;
        return !m_metrics.contains(key.metric)
            || std::find(m_runs.begin(), m_runs.end(), key.run) == m_runs.end();
    });
    std::erase_if(m_details, [this](const auto& entry) { return !m_lines.contains(entry.first); });
}

/// Replaces what is known of the runs that were asked for.
void PlotFeed::takeInfos(std::vector<RunInfo> infos, const std::vector<std::string>& asked)
{
    std::map<std::string, RunInfo> known;
    for (RunInfo& info : m_infos)
        known.insert_or_assign(info.id, std::move(info));
    for (const std::string& run : asked)
        known.erase(run);
    for (RunInfo& info : infos)
        known.insert_or_assign(info.id, std::move(info));
    m_infos.clear();
    for (const std::string& run : m_runs) {
        if (const auto found = known.find(run); found != known.end())
            m_infos.push_back(std::move(found->second));
    }
}

/// @param grouping that of the runs' groups
void PlotFeed::applyGroups(const Grouping& grouping)
{
    DerivedLines::Recipe recipe {m_baseline, grouping, {}};
    if (grouping.by != Grouping::By::Nothing) {
        for (const RunInfo& info : m_infos)
            recipe.groups[info.id] = info.group;
    }
    m_derived.setRecipe(recipe);
}

void PlotFeed::applyResult(LoadResult& result)
{
    m_error.clear();
    for (auto& line : result.whole) {
        m_details.erase(line->key);
        m_areDetailsMissing = m_areDetailsMissing || line->isThinned;
        m_lines[line->key] = std::move(line);
    }
    for (const LoadResult::Addition& addition : result.added) {
        const auto found = m_lines.find(addition.key);
        if (found == m_lines.end())
            continue;
        LineData& line = *found->second;
        const std::int64_t endBefore = line.points.isEmpty() ? -1 : line.points.steps().back();
        line.lastStep = addition.points.back().step;
        const auto kept = std::upper_bound(addition.points.begin(), addition.points.end(),
            addition.piece.keptUpTo,
            [](std::int64_t step, const storage::Point& point) { return step < point.step; });
        const std::span<const storage::Point> appended(addition.points.begin(), kept);
        line.points.append(addition.piece, appended);
        if (const auto detail = m_details.find(addition.key); detail != m_details.end())
            detail->second->extend(line, endBefore, addition.piece, appended);
    }
    m_isLoading = !result.isComplete;
    m_isStale = m_isStale || m_isLoading;
    m_isAllChanged = m_isAllChanged || m_isLoading;
    updateDerived();
}

/// Brings what is derived from the lines up to date, on another thread if there is much to do, then smooths.
void PlotFeed::updateDerived()
{
    if (!m_derived.isOn())
        return smoothOutdatedLines();
    DerivedLines::Plan plan = m_derived.planned(m_lines);
    if (plan.pointsToDo() <= kMaxDerivedHere) {
        plan.extend();
        m_derived.take(plan);
        return smoothOutdatedLines();
    }
    m_pool.start([this, plan]() mutable {
        plan.extendCopies();
        QMetaObject::invokeMethod(this, [this, plan] {
            m_derived.take(plan);
            smoothOutdatedLines();
        });
    });
}

void PlotFeed::finishQuery()
{
    m_isAsking = false;
    Q_EMIT updated();
    if (std::exchange(m_areDetailsMissing, false))
        readDetails();
    if (m_isStale)
        askSoon();
}

void PlotFeed::setView(XAxis axis, const Interval& x)
{
    m_view = View {axis, x};
    readDetails();
}

std::shared_ptr<const LineDetail> PlotFeed::detailOf(const LineKey& key) const
{
    const auto found = m_details.find(key);
    return found == m_details.end() ? nullptr : found->second;
}

/// Beyond the edges of the view, too, so that a small move needs no reading.
void PlotFeed::readDetails()
{
    if (!m_view)
        return;
    const auto [axis, x] = *m_view;
    std::vector<DetailRequest> requests;
    for (const auto& [key, line] : m_lines) {
        const auto detail = detailOf(key);
        if (line->isThinned && !line->points.isEmpty() && line->points.has(axis) && !(detail && detail->covers(*line, axis, x)))
            requests.push_back(detailRequest(*line, axis, {x.lower - x.size() / 2, x.upper + x.size() / 2}));
    }
    m_detailTicket.cancel();
    if (requests.empty())
        return;
    m_detailTicket = m_service.query(
        this,
        [requests, most = m_limits.detail / std::ssize(requests)](const storage::Store& store) {
            std::map<LineKey, std::shared_ptr<LineDetail>> found;
            for (const DetailRequest& request : requests) {
                if (auto detail = loadDetail(store, request, most))
                    found[request.key] = std::make_shared<LineDetail>(std::move(*detail));
            }
            return found;
        },
        [this](const std::map<LineKey, std::shared_ptr<LineDetail>>& found) {
            bool areOutdated = false;  // the lines have grown meanwhile
            for (const auto& [key, detail] : found) {
                m_details[key] = detail;
                const auto line = m_lines.find(key);
                areOutdated = areOutdated || (line != m_lines.end() && !detail->covers(*line->second, m_view->axis, m_view->x));
            }
            if (!found.empty())
                Q_EMIT updated();
            if (areOutdated)
                readDetails();
        },
        [](storage::StoreError::Kind, const QString&) {},  // the lines stay thinned; the next query for them reports it
        QueryLength::Long);
}

}  // namespace ui

#include "ui/plot/lines/line_loader.h"

#include "engine/contract/run/journal.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using storage::SeriesRow;

constexpr std::int64_t kEveryStep = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int32_t>::max();

std::vector<MetricInfo> metricsOf(const std::vector<SeriesRow>& series)
{
    std::map<std::string, std::pair<std::set<int>, std::int64_t>> byName;
    for (const SeriesRow& row : series) {
        byName[row.metric].first.insert(row.rank);
        byName[row.metric].second += row.points;
    }
    std::vector<MetricInfo> metrics;
    for (const auto& [name, found] : byName)
        metrics.push_back({name, static_cast<int>(found.first.size()), found.second});
    return metrics;
}

/// All points of a series. For a series longer than request.longestSeries, two points (minimum and maximum) for
/// each bucket of consecutive points, and @p isThinned is set.
std::vector<storage::Point> wholeSeries(
    const storage::Store& store, const SeriesRow& row, const LoadRequest& request, bool& isThinned)
{
    if (row.points <= request.longestSeries)
        return store.points(row.id);
    isThinned = true;
    std::vector<storage::Point> points;
    auto range = store.range(row.id, row.firstStep, row.lastStep, request.longestSeries / 4);
    if (range.isExact)
        return std::move(range.points);
    points.reserve(range.buckets.size() * 2);
    for (const storage::Bucket& bucket : range.buckets) {
        points.push_back({bucket.firstStep, bucket.firstTMs, bucket.minimum});
        points.push_back({bucket.lastStep, bucket.lastTMs, bucket.maximum});
        if (bucket.firstNonFiniteStep)
            points.push_back({bucket.lastStep, bucket.lastTMs, std::nan("")});
    }
    return points;
}

void addScales(const storage::Pace& pace, LinePiece& piece)
{
    const auto perStep = static_cast<double>(pace.samplesPerStep);
    const StepScale samples {static_cast<double>(pace.samples) - perStep * static_cast<double>(pace.step), perStep};
    piece.samples = samples;
    if (pace.stepsPerEpoch > 0)
        piece.epochs = {samples.atStepZero / perStep / pace.stepsPerEpoch, 1 / pace.stepsPerEpoch};
}

class RunLoader {
public:
    RunLoader(const storage::Store& store, const LoadRequest& request, LoadResult& result)
        : m_store(store)
        , m_request(request)
        , m_result(result)
    {
    }

    void load(const std::string& runId)
    {
        const auto run = m_store.run(runId);
        if (!run)
            return;
        m_series = m_store.series(runId);
        m_result.runs.push_back(
            {runId, run->name, run->createdUnixMs, run->lastRecordUnixMs, metricsOf(m_series),
                groupKey(m_store, *run, m_request.grouping), run->line});
        m_attempts = m_store.attempts(runId);
        m_activeSecondsBefore = activeSecondsBefore(m_store, m_attempts, m_series);

        std::map<LineKey, std::vector<SeriesRow>> lines;
        for (const SeriesRow& row : m_series)
            if (m_request.metrics.contains(row.metric) && row.points > 0)
                lines[{runId, row.metric, row.rank}].push_back(row);
        for (auto& [key, rows] : lines) {
            std::sort(rows.begin(), rows.end(),
                [](const SeriesRow& a, const SeriesRow& b) { return a.attempt < b.attempt; });
            fetchNewPoints(key, rows);
        }
    }

private:
    LinePiece pieceOf(const SeriesRow& row) const
    {
        LinePiece piece;
        piece.seriesId = row.id;
        piece.attempt = row.attempt;
        for (const storage::AttemptRow& attempt : m_attempts) {
            if (attempt.number != row.attempt)
                continue;
            piece.startSeconds = static_cast<double>(storage::beginUnixMs(attempt, row.rank)) / 1000;
            if (attempt.pace && row.rank != contract::kHostRank)  // the host's journal counts seconds, not steps
                addScales(*attempt.pace, piece);
        }
        if (const auto before = m_activeSecondsBefore.find(row.attempt); before != m_activeSecondsBefore.end())
            piece.activeSeconds = before->second;
        piece.keptUpTo = row.supersededAfter.value_or(kEveryStep);
        return piece;
    }

    void fetchNewPoints(const LineKey& key, const std::vector<SeriesRow>& rows)
    {
        std::vector<LinePiece> pieces;
        for (const SeriesRow& row : rows)
            pieces.push_back(pieceOf(row));
        const auto known = m_request.known.find(key);
        if (known == m_request.known.end() || known->second.pieces != pieces)
            return fetchWhole(key, rows, pieces);
        if (rows.back().lastStep <= known->second.lastStep)
            return;
        auto range = m_store.range(rows.back().id, known->second.lastStep + 1, kEveryStep, kNoLimit);
        if (!range.points.empty())
            m_result.added.push_back({key, pieces.back(), std::move(range.points)});
    }

    void fetchWhole(const LineKey& key, const std::vector<SeriesRow>& rows, const std::vector<LinePiece>& pieces)
    {
        if (m_fetched >= m_request.pointsAtOnce) {
            m_result.isComplete = false;
            return;
        }
        auto line = std::make_shared<LineData>();
        line->key = key;
        line->pieces = pieces;
        for (std::size_t index = 0; index < rows.size(); ++index) {
            const auto points = wholeSeries(m_store, rows[index], m_request, line->isThinned);
            m_fetched += static_cast<std::int64_t>(points.size());
            const auto kept = std::upper_bound(points.begin(), points.end(), pieces[index].keptUpTo,
                [](std::int64_t step, const storage::Point& point) { return step < point.step; });
            line->points.append(pieces[index], {points.begin(), kept});
            if (kept != points.end())
                line->superseded.emplace_back().append(pieces[index], {kept, points.end()});
            if (!points.empty())
                line->lastStep = points.back().step;
        }
        m_result.whole.push_back(std::move(line));
    }

    const storage::Store& m_store;
    const LoadRequest& m_request;
    LoadResult& m_result;
    std::int64_t m_fetched = 0;
    std::vector<SeriesRow> m_series;
    std::vector<storage::AttemptRow> m_attempts;
    std::map<int, double> m_activeSecondsBefore;
};

}  // namespace

std::map<int, double> activeSecondsBefore(const storage::Store& store,
    const std::vector<storage::AttemptRow>& attempts, const std::vector<SeriesRow>& series)
{
    // The elapsed time of an attempt is read from the longest series of its rank 0.
    std::map<int, SeriesRow> clocks;
    for (const SeriesRow& row : series) {
        const auto clock = clocks.find(row.attempt);
        if (row.rank == 0 && (clock == clocks.end() || row.points > clock->second.points))
            clocks[row.attempt] = row;
    }
    std::map<int, double> before;
    for (const storage::AttemptRow& attempt : attempts) {
        double& seconds = before[attempt.number];
        if (attempt.parent == 0)
            continue;
        seconds = before[attempt.parent];
        if (const auto clock = clocks.find(attempt.parent); clock != clocks.end()) {
            const auto reached = store.pointAt(clock->second.id, attempt.parentStep);
            seconds += reached ? reached->tMs / 1000 : 0;
        }
    }
    return before;
}

LoadResult loadLines(const storage::Store& store, const LoadRequest& request)
{
    LoadResult result;
    RunLoader loader(store, request, result);
    for (const std::string& run : request.runs)
        loader.load(run);
    return result;
}

}  // namespace ui

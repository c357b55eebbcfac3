#include "ui/plot/plot_feed.h"

#include <algorithm>

namespace ui {
namespace {

constexpr int kLeastMsBetweenQuestions = 33;

}  // namespace

PlotFeed::PlotFeed(StoreService& service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    m_pool.setMaxThreadCount(1);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &PlotFeed::ask);
    connect(&m_service, &StoreService::changed, this, &PlotFeed::askSoon);
    connect(&m_service, &StoreService::opened, this, &PlotFeed::askSoon);
}

PlotFeed::~PlotFeed()
{
    m_pool.waitForDone();
}

void PlotFeed::setRuns(const std::vector<std::string>& runs)
{
    if (m_runs == runs)
        return;
    m_runs = runs;
    m_hasAnswer = false;
    askSoon();
}

void PlotFeed::setMetrics(const std::set<std::string>& metrics)
{
    if (m_metrics == metrics)
        return;
    m_metrics = metrics;
    askSoon();
}

void PlotFeed::setSmoothing(const Smoothing& smoothing)
{
    if (m_smoothing == smoothing)
        return;
    m_smoothing = smoothing;
    askSoon();
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
    askSoon();
}

void PlotFeed::askSoon()
{
    m_isStale = true;
    if (!m_isActive || m_isAsking || m_pace.isActive())
        return;
    const qint64 passed = m_sinceAsked.isValid() ? m_sinceAsked.elapsed() : kLeastMsBetweenQuestions;
    m_pace.start(std::max(0, kLeastMsBetweenQuestions - static_cast<int>(std::min<qint64>(passed, 1000))));
}

LoadRequest PlotFeed::request() const
{
    LoadRequest request;
    request.runs = m_runs;
    request.metrics = m_metrics;
    for (const auto& [key, line] : m_lines)
        request.known[key] = {line->pieces, line->lastStep};
    return request;
}

void PlotFeed::ask()
{
    if (!m_isActive || m_isAsking)
        return;
    m_isAsking = true;
    m_isStale = false;
    m_sinceAsked.start();
    dropUnwanted();
    m_service.query(
        this, [request = request()](const storage::Store& store) { return loadLines(store, request); },
        [this](LoadResult result) { take(result); },
        [this](storage::StoreError::Kind, const QString& message) {
            m_error = message;
            m_isAsking = false;
            m_isLoading = false;
            Q_EMIT updated();
        });
}

void PlotFeed::dropUnwanted()
{
    std::erase_if(m_lines, [this](const auto& entry) {
        const LineKey& key = entry.first;
        return !m_metrics.contains(key.metric)
            || std::find(m_runs.begin(), m_runs.end(), key.run) == m_runs.end();
    });
}

void PlotFeed::take(LoadResult& result)
{
    m_error.clear();
    m_infos = std::move(result.runs);
    for (auto& line : result.whole)
        m_lines[line->key] = std::move(line);
    for (const LoadResult::Addition& addition : result.added) {
        const auto found = m_lines.find(addition.key);
        if (found == m_lines.end())
            continue;
        LineData& line = *found->second;
        line.lastStep = addition.points.back().step;
        const auto kept = std::upper_bound(addition.points.begin(), addition.points.end(),
            addition.piece.keptUpTo,
            [](std::int64_t step, const storage::Point& point) { return step < point.step; });
        line.points.append(addition.piece, {addition.points.begin(), kept});
    }
    m_isLoading = !result.isComplete;
    m_isStale = m_isStale || m_isLoading;
    m_hasAnswer = true;
    smoothStale();
}

void PlotFeed::smoothStale()
{
    std::vector<std::shared_ptr<LineData>> small;
    std::vector<std::shared_ptr<LineData>> large;
    for (const auto& [key, line] : m_lines) {
        const bool isOther = line->smoother.smoothing() != m_smoothing;
        const bool isOff = m_smoothing.kind == Smoothing::Kind::Off;
        if (!isOther && (isOff || line->smoothed.size() == line->points.size()))
            continue;
        const std::size_t missing = line->points.size() - (isOther ? 0 : line->smoothed.size());
        (isOff || missing <= 100 ? small : large).push_back(line);
    }
    const auto renew = [smoothing = m_smoothing](LineData& line) {
        if (line.smoother.smoothing() != smoothing) {
            line.smoother = Smoother(smoothing);
            line.smoothed = {};
        }
        line.smooth();
    };
    for (const auto& line : small)
        renew(*line);
    if (large.empty())
        return finish();
    // A copy is smoothed: the GUI thread goes on drawing the line as it was.
    m_pool.start([this, large, renew] {
        std::vector<std::shared_ptr<LineData>> done;
        for (const auto& line : large) {
            done.push_back(std::make_shared<LineData>(*line));
            renew(*done.back());
        }
        QMetaObject::invokeMethod(this, [this, done] {
            for (const auto& line : done)
                if (const auto found = m_lines.find(line->key); found != m_lines.end())
                    found->second = line;
            finish();
        });
    });
}

void PlotFeed::finish()
{
    m_isAsking = false;
    Q_EMIT updated();
    if (m_isStale)
        askSoon();
}

}  // namespace ui

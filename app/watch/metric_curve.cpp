#include "app/watch/metric_curve.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace app {
namespace {

constexpr std::int64_t kEveryStep = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kEveryPoint = std::numeric_limits<std::int32_t>::max();

}  // namespace

MetricCurve::MetricCurve(std::string metric, int rank)
    : m_metric(std::move(metric))
    , m_rank(rank)
{
}

void MetricCurve::update(const storage::Store& store, const std::vector<storage::SeriesRow>& series)
{
    std::vector<storage::SeriesRow> rows;
    std::ranges::copy_if(series, std::back_inserter(rows), [this](const storage::SeriesRow& row) { return row.metric == m_metric && row.rank == m_rank; });
    std::ranges::sort(rows, {}, &storage::SeriesRow::attempt);
    std::vector<Piece> pieces;
    for (const storage::SeriesRow& row : rows)
        pieces.push_back({row.id, row.supersededAfter.value_or(kEveryStep)});
    if (pieces == m_pieces) {
        if (!rows.empty())
            append(store, rows.back(), m_steps.empty() ? 0 : m_steps.back() + 1);
        return;
    }
    m_pieces = pieces;
    m_steps.clear();
    m_values.clear();
    m_superseded = 0;
    m_smoother = ui::Smoother(m_smoother.smoothing());
    for (const storage::SeriesRow& row : rows)
        append(store, row, row.firstStep);
}

void MetricCurve::append(const storage::Store& store, const storage::SeriesRow& row, std::int64_t firstStep)
{
    if (row.lastStep < firstStep)
        return;
    const std::int64_t last = row.supersededAfter.value_or(kEveryStep);
    for (const storage::Point& point : store.range(row.id, firstStep, kEveryStep, kEveryPoint).points) {
        if (point.step > last) {
            ++m_superseded;
            continue;
        }
        m_steps.push_back(point.step);
        m_values.push_back(point.value);
    }
}

void MetricCurve::smoothen(const ui::Smoothing& smoothing)
{
    if (m_smoother.smoothing() != smoothing)
        m_smoother = ui::Smoother(smoothing);
    m_smoother.extend(m_steps, m_values);
}

}  // namespace app

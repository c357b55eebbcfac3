#include "ui/gallery/sample_grid.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

namespace ui {
namespace {

std::uint64_t cellKey(std::size_t row, std::size_t column)
{
    return (static_cast<std::uint64_t>(row) << 32) | static_cast<std::uint64_t>(column);
}

SampleColumn columnKey(const storage::SampleRow& sample)
{
    if (!sample.standing)
        return {sample.prompt, sample.seed, sample.guidance, sample.weights};
    const bool isOfBest = sample.standing->promptPlace == 1, isBest = sample.standing->place == 1;
    return {.extreme = isOfBest ? (isBest ? Extreme::BestOfBest : Extreme::WorstOfBest)
                                : (isBest ? Extreme::BestOfWorst : Extreme::WorstOfWorst)};
}

std::int64_t rowKey(const storage::SampleRow& sample) { return sample.standing ? sample.standing->round : sample.step; }

}  // namespace

SampleGrid::SampleGrid(std::vector<storage::SampleRow> samples, SampleKind kind)
    : m_samples(std::move(samples))
    , m_kind(kind)
{
    std::erase_if(m_samples, [&](const auto& sample) { return sample.standing.has_value() != (kind == SampleKind::OfRound); });
    for (const storage::SampleRow& sample : m_samples)
        m_steps.push_back(rowKey(sample));
    std::sort(m_steps.begin(), m_steps.end());
    m_steps.erase(std::unique(m_steps.begin(), m_steps.end()), m_steps.end());

    std::map<SampleColumn, std::size_t> columns;
    if (kind == SampleKind::OfRound) {
        for (const Extreme extreme : {Extreme::BestOfBest, Extreme::WorstOfBest, Extreme::BestOfWorst, Extreme::WorstOfWorst})
            if (std::ranges::any_of(m_samples, [&](const auto& sample) { return columnKey(sample).extreme == extreme; })) {
                m_columns.push_back({.extreme = extreme});
                columns.emplace(m_columns.back(), m_columns.size() - 1);
            }
    }
    m_cells.reserve(m_samples.size());
    for (std::size_t index = 0; index < m_samples.size(); ++index) {
        const auto [column, isNew] = columns.try_emplace(columnKey(m_samples[index]), m_columns.size());
        if (isNew)
            m_columns.push_back(column->first);
        const auto row = static_cast<std::size_t>(
            std::lower_bound(m_steps.begin(), m_steps.end(), rowKey(m_samples[index])) - m_steps.begin());
        const auto [cell, isFree] = m_cells.try_emplace(cellKey(row, column->second), index);
        if (!isFree && m_samples[index].attempt >= m_samples[cell->second].attempt)
            cell->second = index;
    }
}

bool SampleGrid::hasWatchedRewards() const
{
    return std::ranges::any_of(m_samples, [](const auto& sample) { return sample.standing && sample.standing->goldReward; });
}

const storage::SampleRow* SampleGrid::sample(int row, int column) const
{
    const auto cell = m_cells.find(cellKey(static_cast<std::size_t>(row), static_cast<std::size_t>(column)));
    return cell == m_cells.end() ? nullptr : &m_samples[cell->second];
}

std::optional<int> SampleGrid::rowOf(std::int64_t step) const
{
    const auto after = std::upper_bound(m_steps.begin(), m_steps.end(), step);
    if (m_steps.empty())
        return {};
    return after == m_steps.begin() ? 0 : static_cast<int>(after - m_steps.begin()) - 1;
}

const storage::SampleRow* SampleGrid::counterpart(const SampleColumn& column, std::int64_t step) const
{
    using Distance = std::tuple<std::int64_t, std::int64_t, int>;  // from the step, the step itself, settings that differ
    std::optional<std::pair<Distance, const storage::SampleRow*>> best;
    for (int other = 0; other < columns(); ++other) {
        const SampleColumn& key = this->column(other);
        if (key.prompt != column.prompt || key.extreme != column.extreme)
            continue;
        const int differing = (key.seed != column.seed) + (key.guidance != column.guidance) + (key.weights != column.weights);
        for (int row = 0; row < rows(); ++row) {
            const storage::SampleRow* const found = sample(row, other);
            if (!found)
                continue;
            const Distance distance {std::abs(this->step(row) - step), this->step(row), differing};
            if (!best || distance < best->first)
                best.emplace(distance, found);
        }
    }
    return best ? best->second : nullptr;
}

std::optional<int> SampleGrid::columnOf(const SampleColumn& column) const
{
    const auto found = std::find(m_columns.begin(), m_columns.end(), column);
    if (found == m_columns.end())
        return {};
    return static_cast<int>(found - m_columns.begin());
}

}  // namespace ui

// Samples as a grid: a column for each thing that was asked for, a row for each step.
#pragma once
#include "storage/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

/// What was asked for: the same prompt with another seed or guidance is another column.
struct SampleColumn {
    std::string prompt;
    std::int64_t seed = 0;
    double guidance = 1;
    std::string weights;
    auto operator<=>(const SampleColumn&) const = default;
};

class SampleGrid {
public:
    SampleGrid() = default;
    /// Where attempts drew the same sample at the same step, the later one counts.
    explicit SampleGrid(std::vector<storage::SampleRow> samples);

    int rows() const { return static_cast<int>(m_steps.size()); }
    int columns() const { return static_cast<int>(m_columns.size()); }
    bool isEmpty() const { return m_samples.empty(); }
    std::size_t sampleCount() const { return m_samples.size(); }

    std::int64_t step(int row) const { return m_steps[static_cast<std::size_t>(row)]; }
    const SampleColumn& column(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    const storage::SampleRow* sample(int row, int column) const;  ///< nullptr: none

    /// Where the step and column of another grid are in this one; the nearest earlier step when it is gone.
    std::optional<int> rowOf(std::int64_t step) const;
    std::optional<int> columnOf(const SampleColumn& column) const;

private:
    std::vector<storage::SampleRow> m_samples;
    std::vector<std::int64_t> m_steps;      ///< ascending
    std::vector<SampleColumn> m_columns;    ///< in the order of their first appearance
    std::unordered_map<std::uint64_t, std::size_t> m_cells;
};

}  // namespace ui

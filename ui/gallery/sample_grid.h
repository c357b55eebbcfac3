// Arranges samples in a grid: one column per combination of prompt and settings, one row per step.
#pragma once
#include "storage/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

/// Prompt and settings of a sample. The same prompt with another seed, guidance or weights is another column.
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
    /// When several attempts have a sample for the same cell, the latest attempt's is used.
    explicit SampleGrid(std::vector<storage::SampleRow> samples);

    int rows() const { return static_cast<int>(m_steps.size()); }
    int columns() const { return static_cast<int>(m_columns.size()); }
    bool isEmpty() const { return m_samples.empty(); }
    std::size_t sampleCount() const { return m_samples.size(); }

    std::int64_t step(int row) const { return m_steps[static_cast<std::size_t>(row)]; }
    const SampleColumn& column(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    const storage::SampleRow* sample(int row, int column) const;  ///< nullptr for an empty cell

    /// The row of @p step; if that step is missing, the nearest earlier one, or the first row. nullopt for an empty grid.
    std::optional<int> rowOf(std::int64_t step) const;
    /// The index of @p column, or nullopt when the grid has no such column.
    std::optional<int> columnOf(const SampleColumn& column) const;

private:
    std::vector<storage::SampleRow> m_samples;
    std::vector<std::int64_t> m_steps;      ///< ascending
    std::vector<SampleColumn> m_columns;    ///< in the order of their first appearance
    std::unordered_map<std::uint64_t, std::size_t> m_cells;
};

}  // namespace ui

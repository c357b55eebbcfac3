// Arranges samples in a grid: one column per combination of prompt and settings, one row per step. Samples of rounds, in training by a
// reward, have a grid of their own: best and worst side by side, one row per round.
#pragma once
#include "storage/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

/// Which samples of a run a grid shows.
enum class SampleKind {
    OfModel,  ///< what the model can do at a step
    OfRound,  ///< the best and worst of a round
};

/// Of SampleKind::OfRound.
enum class Extreme { BestOfBest, WorstOfBest, BestOfWorst, WorstOfWorst };

/// Prompt and settings of a sample. The same prompt with another seed, guidance or weights is another column. Samples of a round
/// differ by Extreme only.
struct SampleColumn {
    std::string prompt = {};
    std::int64_t seed = 0;
    double guidance = 1;
    std::string weights = {};
    std::optional<Extreme> extreme = {};
    auto operator<=>(const SampleColumn&) const = default;
};

class SampleGrid {
public:
    SampleGrid() = default;
    /// Takes the samples of that kind. When several attempts have a sample for the same cell, the latest attempt's is used.
    explicit SampleGrid(std::vector<storage::SampleRow> samples, SampleKind kind = SampleKind::OfModel);

    SampleKind kind() const { return m_kind; }

    int rows() const { return static_cast<int>(m_steps.size()); }
    int columns() const { return static_cast<int>(m_columns.size()); }
    bool isEmpty() const { return m_samples.empty(); }
    /// Whether samples have a watched reward beside the one that is trained on.
    bool hasWatchedRewards() const;
    std::size_t sampleCount() const { return m_samples.size(); }

    /// The step of a row, or the round with SampleKind::OfRound.
    std::int64_t step(int row) const { return m_steps[static_cast<std::size_t>(row)]; }
    const SampleColumn& column(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    const storage::SampleRow* sample(int row, int column) const;  ///< nullptr for an empty cell

    /// The row of @p step; if that step is missing, the nearest earlier one, or the first row. nullopt for an empty grid.
    std::optional<int> rowOf(std::int64_t step) const;
    /// The sample for the prompt of @p column whose step is the nearest to @p step; of two as near the earlier one; of one step the one with the most of
    /// the other settings of @p column. nullptr when the grid has none for that prompt.
    const storage::SampleRow* counterpart(const SampleColumn& column, std::int64_t step) const;
    /// The index of @p column, or nullopt when the grid has no such column.
    std::optional<int> columnOf(const SampleColumn& column) const;

private:
    std::vector<storage::SampleRow> m_samples;
    SampleKind m_kind = SampleKind::OfModel;
    std::vector<std::int64_t> m_steps;      ///< or rounds; ascending
    std::vector<SampleColumn> m_columns;    ///< in the order of their first appearance, or of Extreme
    std::unordered_map<std::uint64_t, std::size_t> m_cells;
};

}  // namespace ui

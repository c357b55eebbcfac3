// One metric of one rank of a run, over all its attempts, without superseded values, kept up to date with the database.
#pragma once
#include "storage/store.h"
#include "ui/plot/lines/smoothing.h"

#include <cstdint>
#include <string>
#include <vector>

namespace app {

class MetricCurve {
public:
    MetricCurve(std::string metric, int rank);

    const std::string& metric() const { return m_metric; }
    int rank() const { return m_rank; }

    /// Reads the values that have been added since the last call.
    /// @param series of the run. @throws storage::StoreError.
    void update(const storage::Store& store, const std::vector<storage::SeriesRow>& series);
    void smoothen(const ui::Smoothing& smoothing);

    const std::vector<std::int64_t>& steps() const { return m_steps; }  ///< ascending
    const std::vector<double>& values() const { return m_values; }      ///< as many
    /// As many, or none when smoothing is off. See [Note: smoothing] in ui/plot/lines/smoothing.h.
    const std::vector<double>& smoothed() const { return m_smoother.values(); }
    std::int64_t superseded() const { return m_superseded; }  ///< number of values that were left out

private:
    struct Piece {
        std::int64_t series = 0;
        std::int64_t lastStep = 0;  ///< after which values are superseded
        bool operator==(const Piece&) const = default;
    };
    void append(const storage::Store& store, const storage::SeriesRow& row, std::int64_t firstStep);

    std::string m_metric;
    int m_rank;
    std::vector<Piece> m_pieces;
    std::vector<std::int64_t> m_steps;
    std::vector<double> m_values;
    std::int64_t m_superseded = 0;
    ui::Smoother m_smoother;
};

}  // namespace app

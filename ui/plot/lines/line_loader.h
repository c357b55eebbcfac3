// Fetches lines from the store: whole lines at first, then only the added points. Runs on the store's reader thread.
#pragma once
#include "ui/plot/lines/grouping.h"
#include "ui/plot/lines/line_data.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ui {

struct MetricInfo {
    std::string name;
    int ranks = 0;              ///< the number of ranks that record it
    std::int64_t points = 0;    ///< over all ranks and attempts
    auto operator<=>(const MetricInfo&) const = default;
};

/// A run and the metrics that it has recorded.
struct RunInfo {
    std::string id;
    std::string name;
    std::int64_t createdUnixMs = 0;
    std::int64_t lastRecordUnixMs = 0;
    std::vector<MetricInfo> metrics;  ///< sorted by name
    std::string group = {};           ///< see groupKey()
    contract::RunLine line = {};
};

struct LoadRequest {
    /// The part of a line that the caller has already.
    struct Known {
        std::vector<LinePiece> pieces;
        std::int64_t lastStep = -1;
    };
    std::vector<std::string> runs;
    std::set<std::string> metrics;
    std::map<LineKey, Known> known;
    Grouping grouping;
    /// Fetching of further whole lines stops after this many points, so that the first lines appear soon.
    std::int64_t pointsAtOnce = 1'000'000;
    /// Series with more points than this are read, thinned, from the store's pyramid.
    std::int64_t longestSeries = 4'000'000;
};

struct LoadResult {
    struct Addition {
        LineKey key;
        LinePiece piece;
        std::vector<storage::Point> points;
    };
    std::vector<RunInfo> runs;
    std::vector<std::shared_ptr<LineData>> whole;  ///< new lines, and those whose attempts changed
    std::vector<Addition> added;
    bool isComplete = true;  ///< false: the caller has to request the remaining lines
};
/// Fetches the lines of @p request. Runs that the store does not know are left out.
/// @throws storage::StoreError when the store cannot be read.

LoadResult loadLines(const storage::Store& store, const LoadRequest& request);

/// Training time before each attempt, in seconds by attempt number: the time that its parent attempts spent up to
/// the step that it resumed from.
std::map<int, double> activeSecondsBefore(const storage::Store& store,
    const std::vector<storage::AttemptRow>& attempts, const std::vector<storage::SeriesRow>& series);

}  // namespace ui

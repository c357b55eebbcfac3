// Fetches lines from the store: whole ones at first, then only what was added. Runs on the store's thread.
#pragma once
#include "ui/plot/line_data.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ui {

struct MetricInfo {
    std::string name;
    int ranks = 0;              ///< how many write it
    std::int64_t points = 0;    ///< of all ranks and attempts
    auto operator<=>(const MetricInfo&) const = default;
};

/// What a run has to draw.
struct RunInfo {
    std::string id;
    std::string name;
    std::int64_t createdUnixMs = 0;
    std::int64_t lastRecordUnixMs = 0;
    std::vector<MetricInfo> metrics;  ///< by name
};

struct LoadRequest {
    /// How much of a line is there already.
    struct Known {
        std::vector<LinePiece> pieces;
        std::int64_t lastStep = -1;
    };
    std::vector<std::string> runs;
    std::set<std::string> metrics;
    std::map<LineKey, Known> known;
    /// Stop fetching whole lines after so many points, so that the first of many is soon on the screen.
    std::int64_t pointsAtOnce = 1'000'000;
    /// Series longer than this are taken from the store's pyramid.
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
    bool isComplete = true;  ///< false: ask again for the rest
};

LoadResult loadLines(const storage::Store& store, const LoadRequest& request);

/// Training time before each attempt: what its parent attempts spent until the step it resumed from.
std::map<int, double> activeSecondsBefore(const storage::Store& store,
    const std::vector<storage::AttemptRow>& attempts, const std::vector<storage::SeriesRow>& series);

}  // namespace ui

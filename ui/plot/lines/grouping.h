// How runs are grouped in the plots: those that are equal in something the user chose become one line, the mean of them all.
//
// [Note: groups]
// A group's line is the mean over the ranks of its runs. It has a point for each step that all of them have recorded; nothing is
// interpolated, so a group ends where its shortest run does. A run that does not record a metric at all, and superseded points, do not
// count. Where any value is not finite, neither is the mean, and the line is interrupted. Around the mean lies a band: from the lowest to
// the highest value, or one standard deviation (with n - 1) to both sides; a single line has none. On the axes of time, a point lies at
// the mean of its runs' times. Lines that are thinned are no part of a group, since their points are not those that were recorded.
#pragma once
#include "storage/store.h"

#include <string>
#include <vector>

namespace ui {

struct Grouping {
    enum class By {
        Nothing,
        Run,      ///< each run: the mean over its ranks
        Option,   ///< the value of `option`
        Project,
        Tags,     ///< all tags of the run
        Repeats,  ///< all options but those in `ignored`: runs that repeat each other with other seeds
    };
    enum class Band { MinMax, Deviation };

    By by = By::Nothing;
    std::string option;  ///< key, with By::Option
    /// Patterns of keys, "*" stands for any characters; with By::Repeats.
    std::vector<std::string> ignored = {"run.name", "run.seed", "launch.*"};
    Band band = Band::MinMax;

    bool operator==(const Grouping&) const = default;
};

/// What @p run has in common with the other runs of its group, as a key; empty when @p grouping is by nothing.
/// @throws storage::StoreError.
std::string groupKey(const storage::Store& store, const storage::RunRow& run, const Grouping& grouping);

/// The options in which @p runs differ, by key, in their order. @throws storage::StoreError.
std::vector<std::string> differingOptions(const storage::Store& store, const std::vector<std::string>& runs);

}  // namespace ui

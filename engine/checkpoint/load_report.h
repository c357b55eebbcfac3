// How the names and shapes of a checkpoint fit those of a model.
#pragma once
#include "engine/contract/checkpoint_manifest.h"

#include <set>
#include <string>

namespace engine {

struct LoadReport {
    std::set<std::string> missing;     ///< wanted, but not in the checkpoint: they keep their values
    std::set<std::string> unexpected;  ///< in the checkpoint, but of no use
    std::set<std::string> mismatched;  ///< of another shape or dtype: they keep their values
    /// Wanted kinds of which the checkpoint has nothing at all ("ema", "exp_avg"): they begin anew.
    std::set<std::string> absentKinds;
    std::set<std::string> absentAdapters;  ///< that follow the one that trains: they begin as it

    bool isWhole() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
    /// "lacks a, b and 3 more; …"; empty when it is whole.
    std::string sentence() const;
};

/// @param wanted fillTable() of the model at hand
LoadReport compareNames(const contract::CheckpointManifest& stored, const contract::CheckpointManifest& wanted);

}  // namespace engine

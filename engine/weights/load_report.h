// Differences in names and shapes between a checkpoint and a model.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <set>
#include <string>

namespace engine {

struct LoadReport {
    std::set<std::string> missing;     ///< needed, but not in the checkpoint; they keep their values
    std::set<std::string> unexpected;  ///< in the checkpoint, but not used
    std::set<std::string> mismatched;  ///< with another shape or dtype; they keep their values
    /// Kinds ("ema", "exp_avg") that are needed but entirely absent from the checkpoint; they are initialized anew.
    std::set<std::string> absentKinds;
    /// Adapters that follow the trained one and are absent from the checkpoint; they start as copies of it.
    std::set<std::string> absentAdapters;

    /// Whether nothing is missing, unexpected or mismatched. Absent kinds and adapters do not count.
    bool isExactMatch() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
    /// "lacks a, b and 3 more; …"; empty for an exact match.
    std::string sentence() const;
};

/// Compares the tensors of a checkpoint with those that a model needs.
/// @param wanted fillTable() of the model to load into
LoadReport compareNames(const contract::CheckpointManifest& stored, const contract::CheckpointManifest& wanted);

}  // namespace engine

// Loads weights from a model's folder into the shards of any number of ranks.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/shard/unit_sequence.h"
#include "engine/weights/load_report.h"
#include "engine/weights/weights_source.h"

#include <functional>
#include <string>
#include <vector>

namespace engine {

/// Returns true for the parameters to load. An empty function selects all.
using ParameterFilter = std::function<bool(const std::string& name)>;

/// Compares names and shapes without allocating anything: reports names that @p source lacks, names that no selected parameter
/// has, and tensors with another shape or without a floating-point dtype.
LoadReport compareWeights(const std::vector<UnitSpec>& wanted, const WeightsSource& source, const ParameterFilter& filter = {});

/// Loads @p source into the master weights, and copies them to the EMA. Collective where shards have replicas. Each rank reads
/// the ranges of its own shards, converting them to the master dtype, and replicas divide a shard among them, so no byte is
/// read twice and a rank needs only a few MB besides its shards.
/// @param isStrict true: anything that does not fit is an error; false: loads what fits, and the report lists the parameters
///        that do not and keep their values
/// @param filter the parameters to load; the others keep their values, as an adapter's do while the base weights are loaded
/// @throws EngineError BadCheckpoint naming the file and what does not fit or cannot be read; shards may have changed then.
LoadReport loadWeights(
    UnitSequence& units, Mesh& mesh, const WeightsSource& source, bool isStrict, const ParameterFilter& filter = {});

}  // namespace engine

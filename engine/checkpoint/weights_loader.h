// Weights from a model's folder into the shards of any number of ranks.
#pragma once
#include "engine/checkpoint/load_report.h"
#include "engine/comm/mesh.h"
#include "engine/model/weights_source.h"
#include "engine/shard/unit_sequence.h"

#include <functional>
#include <string>
#include <vector>

namespace engine {

/// Which parameters of a model a source is for; none: all of them.
using ParameterFilter = std::function<bool(const std::string& name)>;

/// How names and shapes fit, before anything is allocated: names that are wanted and not there, there and not wanted, and
/// those of another shape or no floating-point dtype.
LoadReport compareWeights(const std::vector<UnitSpec>& wanted, const WeightsSource& source, const ParameterFilter& isFor = {});

/// Collective where shards have replicas. Each rank reads the ranges of its own shards, converted on the way
/// into the master weights, and replicas divide them up: no byte is read twice, and besides its shards a rank needs a few
/// MB. The average begins as the weights.
/// @param isFor the others keep their values, as adapters do beside a model's weights, and the other way round
/// @param isStrict else what fits is loaded, and the report tells the rest, which keeps its values
/// @throws EngineError BadCheckpoint in one sentence naming the file and what does not fit or cannot be read; shards may
///         have changed then.
LoadReport loadWeights(UnitSequence& units, Mesh& mesh, const WeightsSource& source, bool isStrict, const ParameterFilter& isFor = {});

}  // namespace engine

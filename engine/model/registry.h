// Builds the model that an experiment names.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/model/model.h"
#include "engine/model/sequence_parallel.h"

#include <memory>

namespace engine {

/// What the data say about the model.
struct DataShape {
    std::int64_t imageSize = 8;
    std::int64_t channels = 1;
    std::int64_t classes = 10;
};

/// No weights are allocated. @throws EngineError for an unknown model.name, listing the known ones, and see planUnits().
std::unique_ptr<Model> buildModel(
    const contract::Experiment& experiment, const DataShape& data, const SequenceGroups& sequence = {});

}  // namespace engine

// The model that an experiment describes, without its weights, and a batch of the shape that it trains on.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/data/digits.h"
#include "engine/lora/adapters.h"
#include "engine/models/transformer/model.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/shard/parameter.h"

#include <c10/core/ScalarType.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct PlannedModel {
    std::unique_ptr<Model> model;
    std::vector<UnitSpec> units;  ///< as the run declares them: with an adapter, and frozen where model.trainable says so
    bool storesFrozen = true;     ///< false: frozen weights come from a folder at every start
    at::ScalarType trainedDtype = at::kFloat;
    /// Zeros of the shape of @p samples samples of a pass; nullopt for algorithms that draw samples.
    std::optional<ModelInput> input(std::int64_t samples) const;

    std::vector<AdapterLayer> adapterLayers = {};  ///< empty: the model itself is trained
    std::unique_ptr<DiffusionPipeline> pipeline = {};  ///< of a folder's model: its tokenizers are in memory as in a rank, its weights are not
    std::int64_t promptWidth = 0, pooledWidth = 0;  ///< features of a text that the model is given; 0: none
    std::string longestCaption = {};  ///< of the data, where prompts are not padded to one length
    std::optional<DataSplit> digits = {};  ///< kept in memory, as a rank does
    std::optional<ModelInput> sample = {}; ///< a single one
};

/// @param scratch a folder to which a model that starts untrained is described; it must exist
/// @throws EngineError, std::runtime_error naming what is wrong.
PlannedModel plannedModel(const contract::Experiment& experiment, const std::filesystem::path& scratch);

}  // namespace engine

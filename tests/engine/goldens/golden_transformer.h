// The transformer of a golden case in sharded units, with the weights of its folder.
#pragma once
#include "engine/lora/adapters.h"
#include "engine/models/registry.h"
#include "engine/models/transformer/model.h"
#include "engine/shard/unit_sequence.h"
#include "tests/engine/goldens/model_case.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tests {

/// An adapter's layers and, by "MODULE.lora_A.weight", its matrices.
struct GoldenAdapter {
    std::vector<engine::AdapterLayer> layers;
    std::map<std::string, at::Tensor> matrices;
};

/// @param folder of a model; @param file of any form; @param config of the adapter
GoldenAdapter readGoldenAdapter(
    const std::filesystem::path& folder, const std::filesystem::path& file, const nlohmann::json& config);

struct GoldenOptions {
    engine::SequenceOptions sequence = {};
    engine::TransformerSetup setup = {};
    at::ScalarType computeDtype = at::kFloat;
    bool decaysAll = false;          ///< weight decay of every parameter, as a plain torch optimizer's
    GoldenAdapter adapter = {};      ///< with layers: they alone train
};

class GoldenTransformer {
public:
    /// Every tensor of the folder must have its place in the model, and the other way round.
    /// @param group that shards it, outlives this
    /// @throws std::runtime_error naming a tensor that is too many or missing.
    GoldenTransformer(const std::filesystem::path& folder, engine::Group& group, const GoldenOptions& options);

    const engine::Model& model() const { return *m_model; }
    engine::UnitSequence& units() { return *m_units; }
    engine::Adapters& adapters() { return *m_adapters; }

    /// What trains, by the names of the case: those of an adapter without its own.
    std::vector<std::string> trained() const;

    /// A whole parameter, gathered from the shards of all ranks. Collective.
    at::Tensor weight(const std::string& name) const { return gathered(name, &engine::Unit::master); }
    void setWeight(const std::string& name, const at::Tensor& whole);  ///< for later passes
    /// Its gradient, summed over ranks. Collective.
    at::Tensor gradient(const std::string& name) const { return gathered(name, &engine::Unit::gradShard); }

private:
    struct Place {
        engine::Unit* unit = nullptr;
        std::size_t index = 0;  ///< of its spec()
    };
    void declare(const GoldenOptions& options);
    void load(const std::filesystem::path& folder, const GoldenOptions& options);
    at::Tensor gathered(const std::string& name, at::Tensor engine::Unit::*shard) const;

    engine::Group& m_group;
    engine::BufferPool m_pool;
    std::unique_ptr<engine::Model> m_model;
    std::unique_ptr<engine::UnitSequence> m_units;
    std::unique_ptr<engine::Adapters> m_adapters;
    std::map<std::string, Place> m_places;
};

/// Flux' and Qwen-Image's cases have latents as squares in a row, [B, h w, 4 C], where our models take images
/// [B, C, 2 h, 2 w]. Other cases' latents as they are.
at::Tensor imageOf(const ModelCase& golden, const at::Tensor& latents);
at::Tensor squaresOf(const ModelCase& golden, const at::Tensor& image);

/// The inputs of a case, under the names that diffusers' call has for them.
engine::ModelInput modelInputOf(const ModelCase& golden);

}  // namespace tests

// A transformer from a diffusers folder, for inference only.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/lora/adapters.h"
#include "engine/models/transformer/model.h"

#include <memory>
#include <optional>
#include <string>

namespace engine {

/// An adapter to apply, and its weight.
struct AdapterInUse {
    std::string file;  ///< file or folder of the adapter; empty: no adapter
    double weight = 1;
};

/// Holds the weights sharded over all ranks in the compute dtype, without gradients or optimizer states, and optionally an
/// adapter that is added to the outputs of its layers.
class FolderTransformer {
public:
    /// Loads the weights. Collective.
    /// @param experiment chooses the compute dtype and the kernels
    /// @param component folder of the transformer: "transformer" or "transformer_2"
    /// @param mesh must outlive this object
    /// @throws EngineError, std::runtime_error naming the file and what is wrong with it.
    FolderTransformer(const contract::Experiment& experiment, const contract::ModelFolder& folder, const std::string& component,
        const AdapterInUse& adapter, Mesh& mesh, c10::Device device);

    /// Predicts the velocity for @p input. Collective.
    at::Tensor velocity(const ModelInput& input) { return predict(*m_model, *m_units, input); }

private:
    std::unique_ptr<Model> m_model;
    BufferPool m_pool;
    std::optional<UnitSequence> m_units;
    std::optional<Adapters> m_adapters;
    std::optional<UnitSequence::EvaluationScope> m_scope;
};

}  // namespace engine

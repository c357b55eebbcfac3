// A transformer of a diffusers folder that draws and does not train.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment.h"
#include "engine/contract/model_folder.h"
#include "engine/model/adapters.h"
#include "engine/model/model.h"

#include <memory>
#include <optional>
#include <string>

namespace engine {

/// An adapter's file, and how much of it is added.
struct AdapterInUse {
    std::string file;  ///< or its folder; empty: none
    double weight = 1;
};

/// In shards over all ranks, in the compute dtype and without anything of training; an adapter stands beside it where one is given.
class FolderTransformer {
public:
    /// Collective. @param experiment dtype and kernels @param component of the folder: "transformer", "transformer_2"
    /// @param mesh outlives this
    /// @throws EngineError, std::runtime_error naming the file that is not as it must be.
    FolderTransformer(const contract::Experiment& experiment, const contract::ModelFolder& folder, const std::string& component,
        const AdapterInUse& adapter, Mesh& mesh, c10::Device device);

    /// Collective.
    at::Tensor velocity(const ModelInput& input) { return predict(*m_model, *m_units, input); }

private:
    std::unique_ptr<Model> m_model;
    BufferPool m_pool;
    std::optional<UnitSequence> m_units;
    std::optional<Adapters> m_adapters;
    std::optional<UnitSequence::EvaluationScope> m_scope;
};

}  // namespace engine

// A digits model from a checkpoint, for inference only: the teacher of another one.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/models/registry.h"
#include "engine/models/transformer/model.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace engine {

/// Holds the weights sharded over all ranks, without gradients or optimizer states.
class CheckpointModel {
public:
    /// Loads the weights. The checkpoint says how large the model is. Collective.
    /// @param checkpoint its folder; @param experiment chooses the compute dtype and the kernels
    /// @param mesh must outlive this object
    /// @throws EngineError, std::runtime_error naming the checkpoint and what is wrong with it.
    CheckpointModel(const std::filesystem::path& checkpoint, contract::Experiment experiment, const DataShape& data, Mesh& mesh, c10::Device device);

    /// Predicts the velocity for @p input. Collective.
    at::Tensor velocity(const ModelInput& input) { return predict(*m_model, *m_units, input); }

private:
    std::unique_ptr<Model> m_model;
    BufferPool m_pool;
    std::optional<UnitSequence> m_units;
    std::optional<UnitSequence::EvaluationScope> m_scope;
};

}  // namespace engine

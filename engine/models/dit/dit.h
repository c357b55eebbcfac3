// A class-conditional diffusion transformer with adaLN-zero blocks (Peebles & Xie, 2023).
#pragma once
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/parameter_places.h"
#include "engine/nn/unit_plan.h"

namespace engine {

struct DitConfig {
    std::int64_t imageSize = 8;  ///< height = width, a multiple of patch
    std::int64_t channels = 1;
    std::int64_t classes = 10;
    std::int64_t patch = 2;
    std::int64_t width = 128;  ///< a multiple of 2 · heads
    std::int64_t depth = 6;
    std::int64_t heads = 4;
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};
};

class Dit final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit Dit(const DitConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    std::int64_t nullLabel() const override { return m_config.classes; }
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    UnitPlan plan() const;  ///< declares all parameters
    Var block(Tape& tape, const BlockParameters& parameters, Var x, Var condition) const;
    at::Tensor patches(const at::Tensor& latents) const;  ///< [B, C, H, W] → [B, N, patch² · C]

    DitConfig m_config;
    std::int64_t m_grid;  ///< patches along one edge
    UnitPlan m_plan;
};

}  // namespace engine

// DiTTransformer2DModel: diffusers' class-conditional DiT (Peebles & Xie, 2023), whose blocks each embed timestep and class.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/block_pass.h"
#include "engine/nn/patches.h"

#include <vector>

namespace engine {

struct DitTransformerConfig {
    std::int64_t sampleSize = 32;  ///< edge of the latents for which the position embedding is defined
    std::int64_t patch = 2;
    std::int64_t inChannels = 4, outChannels = 4;
    std::int64_t layers = 28;
    std::int64_t heads = 16, headSize = 72;
    std::int64_t classes = 1000;
    bool hasAttentionBias = true;
    double normEpsilon = 1e-5;  ///< of the second norm in a block
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// Defaults are those of diffusers. @throws std::runtime_error naming the file and the key that is wrong or unknown.
    static DitTransformerConfig fromJson(const contract::JsonConfig& json);
};

/// Predicts outChannels channels. The latents may have fewer, as where the model predicts noise and variance.
class DitTransformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit DitTransformer(const DitTransformerConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    std::int64_t nullLabel() const override { return m_config.classes; }
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    struct RootPlaces {
        LinearPlace patches, ada, final;
    };
    struct BlockPlaces {
        LinearPlace time1, time2, ada, query, key, value, out, up, down;
        std::size_t labels = 0;
    };

    UnitSpec declareRoot();
    UnitSpec declareBlock(std::int64_t index);
    void check(const ModelInput& input) const;
    /// @return the block's output tokens, and its embedding of timestep and class
    std::vector<Var> block(Tape& tape, std::size_t index, const BlockParameters& parameters, Var tokens,
        const at::Tensor& time, const at::Tensor& labels) const;

    DitTransformerConfig m_config;
    RootPlaces m_root;
    std::vector<BlockPlaces> m_blocks;
    UnitPlan m_plan;
    mutable PositionTables m_tables;
};

}  // namespace engine

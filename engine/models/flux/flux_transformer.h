// FluxTransformer2DModel: FLUX.1 dev and schnell (Black Forest Labs, 2024), under the names of diffusers' checkpoints.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/joint_block.h"
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/patches.h"
#include "engine/nn/rotary_positions.h"

#include <vector>

namespace engine {

struct FluxConfig {
    std::int64_t packedChannels = 64;  ///< of a token, which packs 2 × 2 latent elements: 4 · the latents' channels
    std::int64_t jointLayers = 19, singleLayers = 38;
    std::int64_t heads = 24, headSize = 128;
    std::int64_t promptWidth = 4096;
    std::int64_t pooledWidth = 768;
    bool hasGuidance = false;  ///< guidance-distilled: the guidance scale is an input
    std::vector<std::int64_t> rotaryAxes = {16, 56, 56};  ///< elements of a head that encode frame, row and column
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// @throws std::runtime_error naming the key that is wrong or unknown.
    static FluxConfig fromJson(const contract::JsonConfig& json);
};

/// Latents are images [B, C, H, W], H and W even. Timesteps are sigmas, from 0 to 1; guidance is the unscaled guidance scale.
class FluxTransformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit FluxTransformer(const FluxConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    struct Mlp {
        LinearPlace up, down;
    };
    struct RootPlaces {
        Mlp time, guidance, pooled;
        LinearPlace patches, prompt, finalAda, final;
    };
    /// A block that runs attention and MLP in parallel, with the same weights for image and prompt tokens.
    struct SinglePlaces {
        LinearPlace ada, up, query, key, value, out;
        std::size_t queryNorm = 0, keyNorm = 0;
    };

    UnitSpec declareRoot();
    UnitSpec declareSingle(std::int64_t index);
    Var conditionOf(Tape& tape, const BlockParameters& root, const ModelInput& input) const;
    AttentionForm formOf(const ModelInput& input, const PatchGrid& grid) const;
    std::vector<Var> block(Tape& tape, std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values,
        const AttentionForm& form) const;
    JointBlock::Tokens single(Tape& tape, const SinglePlaces& places, const BlockParameters& parameters,
        const JointBlock::Tokens& tokens, Var condition, const AttentionForm& form) const;

    FluxConfig m_config;
    RootPlaces m_root;
    std::vector<JointBlock> m_jointBlocks;
    std::vector<SinglePlaces> m_singleBlocks;
    UnitPlan m_plan;
    mutable RotaryTables m_rotaryTables;
};

}  // namespace engine

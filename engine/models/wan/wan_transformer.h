// WanTransformer3DModel: Wan 2.1 and 2.2, text to video (Wan, 2025), under the names of diffusers' checkpoints.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/attention.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/block_pass.h"
#include "engine/nn/rotary_positions.h"

#include <array>
#include <vector>

namespace engine {

struct WanConfig {
    std::array<std::int64_t, 3> patch = {1, 2, 2};  ///< frames, rows, columns
    std::int64_t channels = 16;
    std::int64_t layers = 40;
    std::int64_t heads = 40, headSize = 128;
    std::int64_t promptWidth = 4096;
    std::int64_t timeWidth = 256;
    std::int64_t hiddenWidth = 13824;  ///< of the MLPs
    std::int64_t longestAxis = 1024;   ///< most tokens along any axis
    double epsilon = 1e-6;
    bool normsBeforePrompt = true;     ///< a norm with weights before the cross-attention to the prompt
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// @throws std::runtime_error naming the key that is wrong or unknown.
    static WanConfig fromJson(const contract::JsonConfig& json);
};

/// Latents are videos [B, C, F, H, W]; F, H and W are multiples of patch. Timesteps are 1000 · sigma.
class WanTransformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit WanTransformer(const WanConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    struct AttentionPlaces {
        LinearPlace query, key, value, out;
        std::size_t queryNorm = 0, keyNorm = 0;
    };
    struct BlockPlaces {
        AttentionPlaces self, prompt;
        LinearPlace up, down;
    };
    /// Parameters of a block that stay in float32, among those of the root.
    struct FloatPlaces {
        std::size_t table = 0;  ///< [1, 6, D] added to the modulation
        ParameterPlace promptNormWeight, promptNormBias;
    };
    struct RootPlaces {
        LinearPlace patches, time1, time2, timeProjection, prompt1, prompt2, final;
        std::size_t table = 0;  ///< [1, 2, D]
        std::vector<FloatPlaces> blocks;
    };
    struct Grid {
        std::int64_t frames, rows, columns;
        std::int64_t tokens() const { return frames * rows * columns; }
    };

    UnitSpec declareRoot();
    UnitSpec declareBlock(std::int64_t index);
    AttentionPlaces declareAttention(SpecBuilder& builder, const std::string& name) const;

    Grid gridOf(const at::Tensor& latents) const;
    AttentionForm formOf(const Grid& grid, c10::Device device) const;
    /// The dtype in which the blocks compute.
    at::ScalarType blockDtype(Tape& tape) const;
    /// Returns this rank's tokens.
    Var embedded(Tape& tape, Var latents, const Grid& grid, const BlockParameters& root) const;
    Var unpatched(Tape& tape, Var tokens, const Grid& grid) const;
    /// @param queries, keys tokens, not yet projected; @param sequence ranks over which both are divided
    Var attended(Tape& tape, const BlockParameters& parameters, const AttentionPlaces& places, Var queries, Var keys,
        const AttentionForm& form, const SequenceGroups& sequence) const;
    std::vector<Var> block(Tape& tape, std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values,
        const AttentionForm& form) const;

    WanConfig m_config;
    RootPlaces m_root;
    std::vector<BlockPlaces> m_blocks;
    UnitPlan m_plan;
    mutable RotaryTables m_rotaryTables;
};

}  // namespace engine

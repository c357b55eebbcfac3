// QwenImageTransformer2DModel (Qwen-Image, 2025), under the names of diffusers' checkpoints.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/joint_block.h"
#include "engine/models/transformer/model.h"
#include "engine/models/transformer/model_checks.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/patches.h"
#include "engine/nn/rotary_positions.h"

#include <vector>

namespace engine {

struct QwenImageConfig {
    std::int64_t patch = 2;
    std::int64_t channels = 16;  ///< of the latents
    std::int64_t layers = 60;
    std::int64_t heads = 24, headSize = 128;
    std::int64_t promptWidth = 3584;
    std::vector<std::int64_t> rotaryAxes = {16, 56, 56};  ///< elements of a head that encode frame, row and column
    bool hasZeroReferenceTime = false;  ///< reference tokens are conditioned on timestep 0, since references are clean
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// @throws std::runtime_error naming the key that is wrong or unknown.
    static QwenImageConfig fromJson(const contract::JsonConfig& json);
};

/// Latents are images [B, C, H, W], H and W multiples of patch. Timesteps are sigmas, from 0 to 1. The tokens of references
/// (row E-014, Qwen-Image-Edit) follow those of the latents in one sequence, which the ranks divide as a whole; the prediction
/// covers the latents only.
class QwenImageTransformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit QwenImageTransformer(const QwenImageConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    bool takesReferences() const override { return true; }
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    struct RootPlaces {
        LinearPlace patches, prompt, time1, time2, finalAda, final;
        std::size_t promptNorm = 0;
    };
    /// Patch grids of the latents and of the references.
    struct Grids {
        std::vector<PatchGrid> images;  ///< the latents' first, then those of the references
        std::int64_t tokens = 0;        ///< of all grids together

        const PatchGrid& generated() const { return images.front(); }
    };
    UnitSpec declareRoot();
    Grids gridsOf(const ModelInput& input) const;
    Var embedded(Tape& tape, const ModelInput& input, const Grids& grids, const OwnTokens& own, const LinearWeights& weights) const;
    AttentionForm formOf(const ModelInput& input, const Grids& grids) const;

    QwenImageConfig m_config;
    RootPlaces m_root;
    std::vector<JointBlock> m_blocks;
    UnitPlan m_plan;
    mutable RotaryTables m_rotaryTables;
};

}  // namespace engine

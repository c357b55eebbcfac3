// QwenImageTransformer2DModel (Qwen-Image, 2025), under the names of diffusers' checkpoints.
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/joint_block.h"
#include "engine/model/model.h"
#include "engine/model/model_checks.h"
#include "engine/model/patches.h"
#include "engine/model/sequence_parallel.h"

#include <vector>

namespace engine {

struct QwenImageConfig {
    std::int64_t patch = 2;
    std::int64_t channels = 16;  ///< of latents
    std::int64_t layers = 60;
    std::int64_t heads = 24, headSize = 128;
    std::int64_t promptWidth = 3584;
    std::vector<std::int64_t> rotaryAxes = {16, 56, 56};  ///< elements of a head for frame, row and column
    bool isReferenceTimeless = false;  ///< references are told time 0, at which they are clean, whatever the noise is
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// @throws std::runtime_error naming the key that is wrong or not known.
    static QwenImageConfig fromJson(const contract::JsonConfig& json);
};

/// Latents are pictures [B, C, H, W], H and W multiples of patch. Timesteps are sigmas, from 0 to 1. References (row E-014,
/// Qwen-Image-Edit) follow the latents in one sequence, of which the ranks divide the whole; the prediction is of the latents' part.
class QwenImageTransformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit QwenImageTransformer(const QwenImageConfig& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    bool takesReferences() const override { return true; }
    double forwardFlops() const override;  ///< of a picture of 1024 × 1024 and a prompt of 128 tokens
    std::map<std::string, std::string> shapeOptions() const override;

private:
    struct RootPlaces {
        LinearPlace patches, prompt, time1, time2, finalAda, final;
        std::size_t promptNorm = 0;
    };
    /// Of the latents, and then of the references.
    struct Grids {
        std::vector<PatchGrid> pictures;
        std::int64_t tokens = 0;  ///< of all

        const PatchGrid& drawn() const { return pictures.front(); }
    };
    UnitSpec declareRoot();
    Grids gridsOf(const ModelInput& input) const;
    Var embedded(Tape& tape, const ModelInput& input, const Grids& grids, const OwnTokens& own, const LinearWeights& weights) const;
    AttentionForm formOf(const ModelInput& input, const Grids& grids) const;

    QwenImageConfig m_config;
    RootPlaces m_root;
    std::vector<JointBlock> m_blocks;
    UnitPlan m_plan;
};

}  // namespace engine

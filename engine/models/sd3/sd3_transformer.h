// SD3Transformer2DModel: Stable Diffusion 3 and 3.5 (Esser et al., 2024), under the names of diffusers' checkpoints.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/sd3/sd3_block.h"
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/block_pass.h"
#include "engine/nn/patches.h"

#include <vector>

namespace engine {

struct Sd3Config {
    std::int64_t sampleSize = 128;  ///< edge of the latents for which the position embedding is defined
    std::int64_t patch = 2;
    std::int64_t inChannels = 16, outChannels = 16;
    std::int64_t layers = 18;
    std::int64_t heads = 18, headSize = 64;
    std::int64_t promptWidth = 4096;
    std::int64_t pooledWidth = 2048;
    std::int64_t positionSize = 96;            ///< edge of the stored position table, in patches
    std::vector<std::int64_t> dualLayers = {}; ///< indices of the blocks with a second attention among the image tokens
    bool normsQueries = false;                 ///< RMSNorm of each head's queries and keys
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};

    std::int64_t width() const { return heads * headSize; }

    /// Defaults are those of diffusers. @throws std::runtime_error naming the file and the key that is wrong or unknown.
    static Sd3Config fromJson(const contract::JsonConfig& json);
};

/// The latents' height and width may be any multiple of patch, up to patch · positionSize.
class Sd3Transformer final : public Model {
public:
    /// @throws EngineError when the sizes do not fit together, naming both; see planUnits() too.
    explicit Sd3Transformer(const Sd3Config& config);

    std::vector<UnitSpec> units() const override { return m_plan.units; }
    Var forward(Tape& tape, const ModelInput& input) const override;
    std::vector<std::string> bufferNames() const override { return {kPositionTable}; }
    at::Tensor buffer(const std::string& name) const override;
    void setBuffer(const ModelBuffer& buffer) override;
    double forwardFlops(const ModelInput& input) const override;
    std::map<std::string, std::string> shapeOptions() const override;

private:
    static constexpr char kPositionTable[] = "pos_embed.pos_embed";

    struct RootPlaces {
        LinearPlace patches, time1, time2, pooled1, pooled2, prompt, finalAda, final;
    };

    UnitSpec declareRoot();
    UnitSpec declareBlock(std::int64_t index);

    at::Tensor positions(const PatchGrid& grid) const;
    Var conditionOf(Tape& tape, const BlockParameters& root, const ModelInput& input, at::ScalarType dtype) const;

    Sd3Config m_config;
    RootPlaces m_root;
    std::vector<Sd3Block> m_blocks;
    UnitPlan m_plan;
    at::Tensor m_positionTable;  ///< [1, positionSize², D], from a model folder; undefined: computed by formula
    mutable PositionTables m_tables;
};

}  // namespace engine

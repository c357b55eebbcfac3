// The part of an unfinished round that a checkpoint stores: what cannot be recomputed from seed, round and row numbers.
// Dims: b rows of a micro-batch, T timesteps that each is trained at, W stochastic steps of a sample.
#pragma once
#include "engine/algorithm/algorithm.h"
#include "engine/checkpoint/data_file.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/rounds/experience.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Of each micro-batch: the prompts of its rows, the samples ("clean", or "latents", "log_probs" and "means" of stochastic steps), and
/// the fields that follow from rewards and from passes of other weights. Micro-batches are numbered over all ranks, so that any number
/// of ranks finds them again.
class StoredRound {
public:
    struct Sizes {
        std::int64_t rows = 0;                  ///< b
        std::int64_t timesteps = 0;             ///< T
        std::int64_t stochasticSteps = 0;       ///< W
        std::vector<std::int64_t> latent = {};  ///< of a sample: [C, H, W]
        std::int64_t prompts = 0;               ///< number of prompts
    };
    /// @param predictions names of the fields that passes of other weights give, [b, T, C, H, W], log-probabilities and weights [b, T]
    StoredRound(const contract::PolicySettings& settings, const RolloutNeeds& needs, const std::vector<std::string>& predictions, Sizes sizes);

    void add(RankData& data, std::int64_t micro, const TrainedRows& rows) const;

    /// Replaces the prompts and sets the samples of @p rows, on the CPU. @throws EngineError BadCheckpoint.
    void readSamples(DataFiles& data, std::int64_t micro, DrawnRows& rows) const;
    /// @return the fields, on the CPU. @throws EngineError BadCheckpoint.
    NamedTensors readFields(DataFiles& data, std::int64_t micro) const;

private:
    struct Stored {
        std::string name;
        at::Tensor DrawnRows::* tensor;
        std::vector<std::int64_t> shape;
    };
    static std::string nameOf(std::int64_t micro, const std::string& what) { return "micro-" + std::to_string(micro) + "/" + what; }
    std::vector<std::int64_t> latents(std::int64_t perRow) const;  ///< [b, perRow, C, H, W]

    Sizes m_sizes;
    std::vector<Stored> m_samples;
    std::map<std::string, std::vector<std::int64_t>> m_fields;  ///< name → shape
};

}  // namespace engine

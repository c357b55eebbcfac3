// What an experiment shows of its model: validation loss, samples, and what a classifier sees in them.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/data/digits.h"
#include "engine/model/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// With the average of the weights, or with the weights themselves where ema.use says so. Every method is collective.
class Evaluation {
public:
    /// @param dataRanks that divide the rows. Everything referred to outlives this.
    Evaluation(const contract::Experiment& experiment, const Model& model, UnitSequence& units, Group& dataRanks,
        const DataSplit& data, c10::Device device);

    Weights weights() const;

    double validationLoss();  ///< NaN without held-out data

    /// sample.per_label pictures of each label. @return [pictures, C, H, W] float32 on the CPU
    at::Tensor samples();

    struct Verdict {
        double agreement = 0;  ///< part of the samples in which the judge sees the label that was asked for
        double accuracy = 0;   ///< the judge's own, on held-out data
        std::int64_t samples = 0;
    };
    /// @param isJudge whether this rank judges; the others only draw.
    /// @return nothing on the others, and without sample.judge or held-out data.
    std::optional<Verdict> judge(bool isJudge);

private:
    at::Tensor draw(const std::vector<std::int64_t>& labels, const char* purpose);
    std::uint64_t seed() const { return static_cast<std::uint64_t>(m_experiment.integer("run.seed")); }

    const contract::Experiment& m_experiment;
    const Model& m_model;
    UnitSequence& m_units;
    Group& m_dataRanks;
    const DataSplit& m_data;
    c10::Device m_device;
};

}  // namespace engine

// The digits data set for rollouts: its labels are the prompts, a classifier of real digits gives the reward.
#pragma once
#include "engine/algorithm/digit_judge.h"
#include "engine/models/transformer/model.h"
#include "engine/rounds/rollout_source.h"
#include "engine/tasks/checkpoint_model.h"

namespace engine {

class DigitRollouts final : public RolloutSource {
public:
    /// @p model must outlive this object.
    /// @param teacher nullptr: none; @param judge computes the reward; @param gold computes the watched reward; nullptr: none
    /// @p teacher, @p judge, @p gold and @p dataRanks must outlive this object.
    /// @param keepSample gets the samples of show() on every rank; may be empty
    DigitRollouts(const DataSplit& data, const Model& model, CheckpointModel* teacher, DigitJudge judge, const DigitJudge* gold,
        Group& dataRanks, c10::Device device, SampleKeeper keepSample);

    std::int64_t prompts() const override { return m_classes; }
    std::vector<std::int64_t> latentShape() const override { return m_shape; }
    NoiseLevels levels(std::int64_t steps) const override;
    TrainingLevels trainingLevels() const override { return engine::trainingLevels({}); }
    Conditions conditions(const std::vector<std::int64_t>& prompts) const override;
    at::Tensor teacherPrediction(const ModelInput& input) override { return m_teacher->velocity(input); }
    /// See digitReward().
    at::Tensor rewards(
        const at::Tensor& latents, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts) override;
    at::Tensor watchedRewards() const override;
    void show(const std::vector<RoundSample>& samples, const at::Tensor& latents) override;
    NamedNumbers takeRewardMeans() override;

private:
    std::int64_t m_classes;
    std::vector<std::int64_t> m_shape;
    const Model& m_model;
    CheckpointModel* m_teacher;
    const DigitJudge* m_gold;
    Group& m_dataRanks;
    std::vector<at::Tensor> m_goldRewards;  ///< of this rank's samples of the round, [b] each
    c10::Device m_device;
    SampleKeeper m_keepSample;
    DigitJudge m_judge;
};

}  // namespace engine

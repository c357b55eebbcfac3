// The digits task: a class-conditional transformer learns to draw digits, from images of them or by a reward.
#pragma once
#include "engine/data/digits.h"
#include "engine/tasks/digit_rollouts.h"
#include "engine/tasks/flow_steps.h"
#include "engine/rounds/policy_rounds.h"
#include "engine/tasks/task.h"

#include <future>
#include <optional>
#include <vector>

namespace engine {

class DigitsTask final : public Task {
public:
    /// @p experiment and @p context must outlive this object. @throws EngineError, see loadDigits() and buildModel().
    DigitsTask(const contract::Experiment& experiment, const TaskContext& context);

    const Model& model() const override { return *m_model; }
    void begin(UnitSequence& units) override;
    ForwardSteps& steps() override;
    LossFunction loss() override { return m_rounds ? m_rounds->loss() : m_steps->loss(); }
    double stepsPerEpoch() const override { return m_rounds ? m_rounds->stepsPerEpoch() : m_steps->stepsPerEpoch(); }
    bool isRoundDue() const override { return m_rounds && m_rounds->isRoundDue(); }
    std::optional<NamedNumbers> startRound(std::int64_t step) override { return m_rounds ? m_rounds->startRound(step) : Task::startRound(step); }
    NamedNumbers takeMetrics() override { return m_rounds ? m_rounds->takeMetrics() : NamedNumbers(); }
    std::string stopReason() const override { return m_rounds ? m_rounds->stopReason() : std::string(); }
    std::map<std::string, std::string> toState() const override { return m_rounds ? m_rounds->toState() : Task::toState(); }
    RankData toData() const override { return m_rounds ? m_rounds->toData() : RankData(); }
    void restore(std::int64_t step, const std::map<std::string, std::string>& state, DataFiles& data) override
    {
        if (m_rounds)
            m_rounds->restore(step, state, data);
    }
    NamedNumbers judgeBase() override;
    std::optional<double> validationLoss(Weights weights) override;

    /// Draws sample.per_label images of each label.
    std::vector<DrawnSample> samples(Weights weights) override;

    /// Draws sample.judge images and measures how often a classifier of real digits recognises the requested label, and with an
    /// algorithm also their mean reward by that classifier, which is not the one that gives the reward in training.
    std::optional<Verdict> judge(Weights weights, bool isJudge) override;

private:
    /// The samples to judge, in the order of judgedLabels().
    std::vector<std::int64_t> judgedLabels() const;
    const DigitJudge& judge();
    /// Rewards of the samples to judge, [sample.judge], by the judge. Collective.
    at::Tensor judgedRewards(Weights weights);
    at::Tensor draw(Weights weights, const std::vector<std::int64_t>& labels, const char* purpose);
    std::uint64_t seed() const { return static_cast<std::uint64_t>(m_experiment.integer("run.seed")); }

    const contract::Experiment& m_experiment;
    Mesh& m_mesh;
    c10::Device m_device;
    const TaskContext& m_context;
    DataSplit m_data;
    std::future<void> m_listing;  ///< of the data, on rank 0
    std::unique_ptr<Model> m_model;
    std::unique_ptr<BatchSource> m_batches;
    std::optional<FlowSteps> m_steps;
    std::optional<CheckpointModel> m_teacher;
    std::optional<DigitRollouts> m_rollouts;  ///< with an algorithm, as m_rounds
    std::optional<PolicyRounds> m_rounds;
    std::optional<DigitJudge> m_judge;
    at::Tensor m_baseRewards;  ///< of the same noise before training; undefined when they are not known
    UnitSequence* m_units = nullptr;
};

}  // namespace engine

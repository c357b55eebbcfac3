// Runs that improve a small digits model by a reward.
#pragma once
#include "tests/engine/worker/worker_run.h"

#include <QtTest>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// The model that such runs begin from, trained on images for 20 steps; its checkpoint lasts as long as this object.
class PolicyBase {
public:
    PolicyBase()
        : m_run(images())
    {
        if (m_run.run() != std::vector {0, 0})
            qFatal("the base model was not trained");
    }

    std::string checkpoint() const { return m_run.folder().checkpoint(20).string(); }

    /// 4 prompts of 4 samples a round, of which each pass takes 4; two updates a round.
    contract::Experiment experiment(int ranks, const Options& options = {}) const
    {
        contract::Experiment experiment = smallExperiment(ranks);
        const Options all = {{"run.total_steps", std::int64_t {4}}, {"algorithm.name", std::string("flow_grpo")},
            {"checkpoint.init_from", checkpoint()}, {"rollout.prompts", std::int64_t {4}},
            {"rollout.samples_per_prompt", std::int64_t {4}}, {"rollout.steps", std::int64_t {4}}, {"rollout.noise_level", 0.7},
            {"policy.mini_batches", std::int64_t {2}}, {"policy.clip", 1e-3}, {"batch.micro", std::int64_t {4}}, {"ema.decay", 0.0}};
        return with(with(std::move(experiment), all), options);
    }

private:
    static contract::Experiment images()
    {
        contract::Experiment images = smallExperiment(2);
        images.set("optim.lr", 2e-3);
        images.set("ema.decay", 0.0);
        return images;
    }

    WorkerRun m_run;
};

}  // namespace tests

Q_DECLARE_METATYPE(tests::Options)

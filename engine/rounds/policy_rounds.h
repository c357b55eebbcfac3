// Training by a reward: rounds of rollout, rewards and advantages, each followed by its updates.
#pragma once
#include "engine/algorithm/algorithm.h"
#include "engine/algorithm/mini_batches.h"
#include "engine/algorithm/old_policy.h"
#include "engine/checkpoint/data_file.h"
#include "engine/comm/group.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/rounds/experience.h"
#include "engine/rounds/reference_control.h"
#include "engine/rounds/reward_watch.h"
#include "engine/rounds/rollout.h"
#include "engine/rounds/rollout_source.h"
#include "engine/rounds/stored_round.h"
#include "engine/train/forward_steps.h"
#include "engine/train/stopwatch.h"

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Callbacks by which rounds report to the run and ask it whether to stop.
struct RoundCallbacks {
    std::function<void(const std::string&)> reportProgress;  ///< gets progress messages
    std::function<void(const std::string&)> warn;            ///< gets warnings, which become events in the journal
    std::function<bool()> isStopAgreed;                      ///< whether all ranks stop; collective
};

/// [Note: rounds]
/// Every step of training is one optimizer update. A round begins before the first of its updates, samples with the weights of
/// that moment, and keeps what training needs: latents that passes get, predictions of other weights for them, rewards.
///
/// A micro-batch of the rollout is a micro-batch of the updates: the same rows in the same places. A row's result can depend on
/// its place in a batch and on the size of the batch, but not on the other rows, so that the first update of a round repeats the
/// rollout's forward passes bit for bit. Its probability ratios are exactly 1, and old log-probabilities need no pass of their own.
/// Only pairs of the best and the worst sample of a prompt (dpo) are divided into micro-batches anew.
///
/// Rows are numbered over all ranks; micro-batch k of data rank r of R has the rows from (k R + r) b on. Prompts, noise and
/// windows follow from a row's number and the round, so that they are the same on any number of ranks. Shuffling moves whole
/// micro-batches.
///
/// A checkpoint between two updates of a round holds its samples, rewards and predictions of other weights (stored_round.h), by the
/// numbers that micro-batches have over all ranks. The updates that are left are the same after a resume, on any number of ranks.
/// When something has changed that the samples depend on, the round is drawn again, with the weights of that moment, and only the
/// updates that are left are made.
///
/// A stop acts between two micro-batches of the rollout, too. What was drawn is dropped then: the round begins anew after a resume, with
/// the same weights and noise.
class PolicyRounds final : public ForwardSteps {
public:
    /// @param microBatch rows of a pass
    /// @param dependences further settings that samples depend on, by names that users know; see RankData::facts
    /// @p model, @p units, @p source and @p dataRanks must outlive this object.
    /// @throws EngineError WrongUsage when a round's rows do not divide evenly among ranks, updates and micro-batches.
    PolicyRounds(const contract::PolicySettings& settings, const Model& model, UnitSequence& units, RolloutSource& source, Group& dataRanks,
        c10::Device device, std::int64_t microBatch, std::uint64_t seed, RoundCallbacks callbacks,
        std::map<std::string, std::string> dependences = {});

    std::int64_t updates() const { return m_settings.miniBatches * m_settings.epochs; }  ///< of a round
    /// In how many updates each prompt is drawn once on average.
    double stepsPerEpoch() const;
    bool isRoundDue() const { return !m_isUnderWay; }  ///< whether a round begins before the next update

    /// Draws and scores the samples of the round to which training step @p step belongs, its first one or, after a resume without
    /// these samples, a later one. Collective.
    /// @return what is worth journalling: rewards, advantages, seconds of each stage; the same on all ranks. nullopt: the ranks have agreed to
    /// stop, and the round is not under way
    std::optional<NamedNumbers> startRound(std::int64_t step);

    std::int64_t rows() const override { return microBatches() * m_microBatch; }
    std::int64_t microBatches() const override;
    std::int64_t timesteps() const override { return m_experience->timesteps(); }
    void begin(const TrainingProgress& progress) override;
    bool isLastOfRound() const override { return isRoundDue(); }
    void load(std::int64_t micro) override;
    ForwardStep forward(Tape& tape, std::int64_t timestep) override;

    /// Returns the algorithm's loss. It refers to this object.
    LossFunction loss();

    /// Returns the algorithm's metrics of the last update, reduced over its passes and all ranks, and after a round's last update the
    /// seconds that its updates took on this rank. Collective.
    NamedNumbers takeMetrics();

    const std::string& stopReason() const { return m_watch.stopReason(); }  ///< see RewardWatch

    /// State for a resume, in addition to the units' tensors.
    std::map<std::string, std::string> toState() const;
    /// The samples of this rank in a round that still has updates to make; empty between rounds.
    RankData toData() const;

    /// Collective. Gives a warning when the checkpoint was made in the middle of a round that does not go on.
    /// @param step of training, at which the checkpoint was made
    /// @param data of the checkpoint, @throws EngineError BadCheckpoint when it lacks something or is damaged.
    void restore(std::int64_t step, const std::map<std::string, std::string>& state, DataFiles& data);

private:
    /// This rank's micro-batches in @p rows rows of all ranks.
    std::int64_t microsOf(std::int64_t rows) const { return rows / (m_dataRanks.size() * m_microBatch); }
    std::int64_t globalMicro(std::int64_t micro) const { return micro * m_dataRanks.size() + m_dataRanks.rank(); }
    std::int64_t firstRow(std::int64_t micro) const { return globalMicro(micro) * m_microBatch; }

    /// Draws and scores a round's samples, and makes of them what passes train on. Collective. @param seconds gets those of each stage
    /// @return numbers for the journal; nullopt when a stop was agreed on
    std::optional<NamedNumbers> rollOut(std::int64_t round, std::map<std::string, double>& seconds, Stopwatch& watch);
    /// Prepares the micro-batches of a round from pairs in the data.
    void takePairs(std::int64_t round);
    /// Updates the old policy at the beginning of a round, once per round. Collective. @return metrics of that update
    NamedNumbers followPolicy(std::int64_t round);
    /// Draws this rank's samples of a round. Collective. @return their micro-batches; none when a stop was agreed on
    /// @param rewards [rows of the round]: gets those of this rank
    std::vector<DrawnRows> draw(std::int64_t round, at::Tensor& rewards);
    /// Waits until further samples may be scored, or with @p all until all are. Collective. @return false when a stop was agreed on
    bool awaitRewards(bool all);
    /// Reports how many of the round's samples are done, as in "draws samples of round 3, 32 of 256", but at most every second.
    void reportSamples(const std::string& what, std::int64_t micros);
    /// The best and the worst sample of each prompt, divided among the ranks again. Collective. @param rewards of the whole round
    std::vector<DrawnRows> paired(const std::vector<DrawnRows>& drawn, const at::Tensor& rewards, std::int64_t round);
    /// The round's order of updates, of which the first @p made have been made.
    void orderUpdates(std::int64_t round, std::int64_t made);
    /// Prepares a micro-batch for training from its samples. Collective with RolloutNeeds::wholeGroups.
    TrainedRows trainedRows(DrawnRows drawn, std::int64_t round);
    /// Returns why the round of a checkpoint cannot be continued; empty if it can.
    std::string obstacle(const DataFiles& data) const;
    void readRound(std::int64_t round, DataFiles& data);
    /// Sums of all ranks, on the host. Collective.
    at::Tensor summed(const at::Tensor& values, const char* what);
    /// Names of the fields that follow from passes of other weights and the teacher, and from rollout correction.
    std::vector<std::string> predictions() const;
    /// Adds each field PREFIX_OUTPUT that the algorithm's loss takes: that output of passes by other weights or another model.
    void addPasses(const std::string& prefix, Weights weights);
    void addPasses(const std::string& prefix, const GuidedModel& model);

    contract::PolicySettings m_settings;
    std::unique_ptr<Algorithm> m_algorithm;
    const Model& m_network;
    UnitSequence& m_units;
    RolloutSource& m_source;
    Group& m_dataRanks;
    c10::Device m_device;
    std::int64_t m_microBatch;
    std::int64_t m_rowsOfRound;  ///< on all ranks
    std::uint64_t m_seed;
    RoundCallbacks m_callbacks;

    GuidedModel m_model, m_teacher;
    GuidedModel m_sampler;  ///< predicts at all timesteps, with m_model or the source's other one
    Rollout m_rollout;
    std::unique_ptr<Experience> m_experience;
    StoredRound m_stored;
    std::map<std::string, std::string> m_facts;
    OldPolicy m_oldPolicy;
    ReferenceControl m_reference;
    RewardWatch m_watch;
    std::vector<TrainedRows> m_micros;       ///< of the round
    std::optional<MiniBatches> m_order;      ///< of the round's micro-batches, an update each
    bool m_isUnderWay = false;               ///< whether the round has updates left
    std::int64_t m_followedRound = 0;        ///< the last round at whose beginning the old policy followed
    std::chrono::steady_clock::time_point m_lastReport;
    std::vector<std::int64_t> m_update;      ///< indices of this update's micro-batches
    const TrainedRows* m_loaded = nullptr;
    Stopwatch m_updateWatch;
    double m_updateSeconds = 0;    ///< of the round's updates so far
    std::map<std::string, std::vector<at::Tensor>> m_metrics;  ///< [] each, of the update's passes
};

}  // namespace engine

// Prompts, conditions and rewards for rollouts of a model of captioned images or videos.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/data/prompt_list.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/rewards/reward_list.h"
#include "engine/rounds/rollout_source.h"
#include "engine/rounds/sample_groups.h"
#include "engine/tasks/folder_transformer.h"
#include "engine/tasks/image_pairs.h"
#include "engine/tasks/prepared_images.h"
#include "engine/tasks/prompt_cache.h"
#include "engine/train/forward_steps.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Returns the prompts of @p file or, when that is empty, the captions of the training images, each once.
/// @throws as readPrompts(); EngineError WrongUsage when there are no captions.
std::vector<Prompt> rolloutPrompts(const std::filesystem::path& file, const PreparedImages& images);

/// Samples are scored on a thread of their own while the next ones are drawn, on the rank that has drawn them, or prompt by prompt where
/// a reward compares the samples of a prompt. Of ranks that share a sequence, the first one scores.
class ImageRollouts final : public RolloutSource {
public:
    struct Options {
        std::string negative;   ///< negative prompt of guidance
        std::int64_t edge = 0;  ///< side of the samples, in pixels
        double guidance = 1;    ///< guidance scale; a guidance-distilled model gets it as input
        std::int64_t samplesPerPrompt = 1;  ///< for rewards that compare them
        std::int64_t frames = 1;            ///< of a video
        std::string gold = {};  ///< the watched one of the rewards; empty: none
        SampleKeeper keepSample = {};  ///< gets the samples of show() on the first rank
    };

    /// @param prompts at least one; of all of them and of the negative prompt, @p features has the features
    /// @p features, @p pipeline and @p mesh must outlive this object.
    /// @throws EngineError WrongUsage for a size that does not fit the model.
    ImageRollouts(std::vector<Prompt> prompts, std::unique_ptr<RewardList> rewards, const PromptCache& features, const DiffusionPipeline& pipeline,
        Mesh& mesh, const Options& options);

    /// Uses pairs in the data instead of prompts. @param pairs one for each prompt, in their order
    /// @param images of the pairs; must outlive this object
    /// @throws EngineError WrongUsage naming an image of another size or number of frames than the samples.
    void setPairs(std::vector<ImagePair> pairs, const PreparedImages& images);

    /// @param other transformer of the model, for noise levels outside of @p trained; must outlive this object
    void setOther(FolderTransformer& other, const TimestepRange& trained)
    {
        m_other = &other;
        m_trained = trained;
    }

    /// @param teacher must outlive this object
    void setTeacher(FolderTransformer& teacher) { m_teacher = &teacher; }

    const std::vector<Prompt>& promptList() const { return m_prompts; }

    std::string promptsKey() const override;
    std::int64_t prompts() const override { return static_cast<std::int64_t>(m_prompts.size()); }
    std::vector<std::int64_t> latentShape() const override { return m_pipeline.latentShape(m_options.edge, m_options.edge, m_options.frames); }
    NoiseLevels levels(std::int64_t steps) const override;  ///< for a model that is sampled by UniPC, those of row A-010
    TrainingLevels trainingLevels() const override;
    TimestepRange trainedTimesteps() const override { return m_trained; }
    Guidance guidance() const override { return m_pipeline.traits().guidance; }
    Conditions conditions(const std::vector<std::int64_t>& prompts) const override;

    bool hasPairs() const override { return m_images != nullptr; }
    at::Tensor pairs(const std::vector<std::int64_t>& prompts) const override;

    at::Tensor otherPrediction(const ModelInput& input) override { return m_other->velocity(input); }
    at::Tensor teacherPrediction(const ModelInput& input) override { return m_teacher->velocity(input); }

    /// Decodes the samples and begins to score them. @throws what a reward throws, also for samples of earlier calls
    at::Tensor rewards(
        const at::Tensor& latents, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts) override;
    bool awaitRewards(bool all, std::chrono::milliseconds patience) override;
    void finishRewards() override;
    void abandonRewards() override;

    at::Tensor watchedRewards() const override;
    void show(const std::vector<RoundSample>& samples, const at::Tensor& latents) override;

    /// The mean score of each reward since the last call, neither weighted nor clamped ("critic/NAME/mean", row A-124).
    NamedNumbers takeRewardMeans() override;

private:
    /// Samples that are being scored.
    struct Pending {
        std::future<RewardScores> scores;
        std::int64_t firstRow = 0;
    };
    /// A result of rewards(), filled in when its samples are scored.
    struct Result {
        std::vector<std::uint64_t> rows;
        at::Tensor scores;
    };

    bool scoresHere() const { return m_mesh.ring().rank() == 0 && m_mesh.ulysses().rank() == 0; }
    bool hasGold() const { return !m_options.gold.empty(); }
    at::Tensor decoded(const at::Tensor& latents) const;  ///< as in RewardBatch
    void submit(const at::Tensor& images, std::int64_t firstRow, const std::vector<std::int64_t>& prompts);
    void finishFirst();
    bool isFull() const;  ///< whether scoring lags so far behind that drawing should wait
    at::Tensor scoresOfRound();  ///< [rows of the round, 2]: the total and the watched reward; zeros for those of other ranks. Collective

    std::vector<Prompt> m_prompts;
    const PromptCache& m_features;
    const DiffusionPipeline& m_pipeline;
    Mesh& m_mesh;
    FolderTransformer* m_teacher = nullptr;
    FolderTransformer* m_other = nullptr;  ///< of a model with two transformers
    TimestepRange m_trained;
    const PreparedImages* m_images = nullptr;  ///< nullptr: samples are drawn
    std::vector<ImagePair> m_pairs;
    Options m_options;
    std::deque<Pending> m_pending;        ///< in the order of the calls
    std::size_t m_batchBytes = 0;         ///< of the images that are scored together
    std::vector<Result> m_results;        ///< of the round
    std::map<std::int64_t, RewardScores> m_scores;  ///< of the round, by the first row of what was scored together on this rank
    std::map<std::string, double> m_sums; ///< of the scores of each reward on this rank
    std::int64_t m_scored = 0;            ///< samples in m_sums
    std::vector<at::Tensor> m_goldRewards;  ///< of the samples in m_results, [b] each
    std::optional<SampleGroups> m_groups;   ///< where a reward compares samples
    std::unique_ptr<RewardList> m_rewards;  ///< declared last, so that its thread ends first
};

}  // namespace engine

// The image task: trains a new model, a model from a diffusers folder, or an adapter of one, on captioned images or videos or by a
// reward of samples for prompts.
#pragma once
#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/run/data_manifest.h"
#include "engine/lora/adapters.h"
#include "engine/rounds/policy_rounds.h"
#include "engine/tasks/flow_steps.h"
#include "engine/tasks/image_batches.h"
#include "engine/tasks/image_evaluation.h"
#include "engine/tasks/image_pairs.h"
#include "engine/tasks/image_rollouts.h"
#include "engine/tasks/prepared_images.h"
#include "engine/tasks/task.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

class ImageTask final : public Task {
public:
    /// Encodes the data. Collective. @p experiment and @p context must outlive this object.
    /// @throws EngineError, std::runtime_error naming the folder and what is wrong with it.
    ImageTask(const contract::Experiment& experiment, const TaskContext& context);

    const Model& model() const override { return *m_model; }
    std::vector<UnitSpec> units() const override;
    std::map<std::string, std::string> stateOptions() const override;
    void begin(UnitSequence& units) override;
    void loadWeights() override;
    bool loadsFrozenWeights() const override { return !m_isNew; }
    at::ScalarType trainedDtype() const override;
    ForwardSteps& steps() override;
    LossFunction loss() override { return m_rounds ? m_rounds->loss() : m_steps->loss(); }
    double stepsPerEpoch() const override { return m_rounds ? m_rounds->stepsPerEpoch() : m_steps->stepsPerEpoch(); }
    bool isRoundDue() const override { return m_rounds && m_rounds->isRoundDue(); }

    /// The autoencoder is in memory only meanwhile.
    std::optional<NamedNumbers> startRound(std::int64_t step) override;
    NamedNumbers takeMetrics() override { return m_rounds ? m_rounds->takeMetrics() : NamedNumbers(); }
    std::string stopReason() const override { return m_rounds ? m_rounds->stopReason() : std::string(); }
    std::map<std::string, std::string> toState() const override { return m_rounds ? m_rounds->toState() : Task::toState(); }
    RankData toData() const override { return m_rounds ? m_rounds->toData() : RankData(); }
    void restore(std::int64_t step, const std::map<std::string, std::string>& state, DataFiles& data) override
    {
        if (m_rounds)
            m_rounds->restore(step, state, data);
    }

    /// Uses a fixed noise level and fixed noise for each held-out image.
    std::optional<double> validationLoss(Weights weights) override;

    /// Draws one image, or some frames of one video, for each of sample.prompts. In a model with two transformers each one
    /// predicts at its own noise levels.
    std::vector<DrawnSample> samples(Weights weights) override;
    std::optional<Verdict> judge(Weights, bool) override { return std::nullopt; }

private:
    ImageOptions imageOptions() const;
    void warnAboutBrokenImages() const;
    void warnAboutData(const contract::DataManifest& data) const;
    void listData(const ImagePairs& pairs) const;  ///< writes the list of the data, on rank 0
    void warnAboutLongPrompts() const;
    void warnAboutLongCaptions() const;  ///< collective
    /// @throws EngineError, std::runtime_error naming what is wrong with the folder.
    void loadTeacher(const std::string& path);
    void loadOther();  ///< of two transformers the one that is not trained. Collective
    std::set<std::string> texts() const;  ///< all texts that are encoded before training
    void openRollouts();
    std::vector<std::string> defaultPrompts() const;  ///< of samples
    EvaluationContext evaluation(Weights weights) const;
    /// The maximum number of frames per video.
    std::int64_t frames() const { return m_pipeline.framesWithin(m_experiment.integer("data.frames")); }
    std::uint64_t seed() const { return static_cast<std::uint64_t>(m_experiment.integer("run.seed")); }

    const contract::Experiment& m_experiment;
    const TaskContext& m_context;
    bool m_isNew;  ///< whether training starts from random weights; m_folder then has a description but no weights
    contract::ModelFolder m_folder;
    DiffusionPipeline m_pipeline;
    std::string m_component;  ///< folder of the transformer that is trained
    SigmaRule m_sigmas;       ///< noise levels that it is trained on
    std::unique_ptr<RewardList> m_rewards;  ///< nullptr without an algorithm, and when m_rollouts has them
    PreparedImages m_images;
    std::unique_ptr<Model> m_model;
    std::optional<contract::AdapterFile> m_adapterFile;  ///< initial adapter weights, where given
    std::vector<AdapterLayer> m_adapterLayers;  ///< empty: the model itself is trained
    std::vector<std::string> m_prompts;         ///< prompts of the samples
    std::unique_ptr<BatchSource> m_batches;    ///< without an algorithm, as m_steps
    std::optional<FlowSteps> m_steps;
    std::optional<FolderTransformer> m_teacher;
    std::optional<FolderTransformer> m_other;  ///< of two transformers the one that is not trained; while samples are drawn, or with an algorithm
    std::optional<ImageRollouts> m_rollouts;   ///< with an algorithm, as m_rounds
    std::optional<PolicyRounds> m_rounds;
    UnitSequence* m_units = nullptr;
    std::optional<Adapters> m_adapters;
};

}  // namespace engine

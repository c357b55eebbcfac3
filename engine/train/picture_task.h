// A model learns captioned pictures or clips: one that begins from nothing, one of a diffusers folder, or an adapter beside that.
#pragma once
#include "engine/contract/adapter_file.h"
#include "engine/model/adapters.h"
#include "engine/train/flow_steps.h"
#include "engine/train/picture_batches.h"
#include "engine/train/picture_evaluation.h"
#include "engine/train/prepared_pictures.h"
#include "engine/train/task.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

class PictureTask final : public Task {
public:
    /// Encodes the data. Collective. @param experiment, place outlive this.
    /// @throws EngineError, std::runtime_error naming what is wrong with a folder.
    PictureTask(const contract::Experiment& experiment, const TaskPlace& place);

    const Model& model() const override { return *m_model; }
    std::vector<UnitSpec> units() const override;
    std::map<std::string, std::string> stateOptions() const override;
    void begin(UnitSequence& units) override;
    void loadWeights() override;
    bool bringsFrozen() const override { return !m_isNew; }
    at::ScalarType trainedDtype() const override;
    ForwardSteps& steps() override { return *m_steps; }
    LossFunction loss() override { return m_steps->loss(); }

    /// At one noise level and noise for each held-out picture, always the same.
    double validationLoss(Weights weights) override;

    /// A picture of each of sample.prompts, or some frames of a clip of each. Where a model has two transformers, each draws
    /// at its own noise levels.
    at::Tensor samples(Weights weights) override;
    std::string samplePrompt() const override;
    std::string writeSamples(const std::filesystem::path& runFolder, const at::Tensor& pictures, std::int64_t step) override;
    std::optional<Verdict> judge(Weights, bool) override { return std::nullopt; }

private:
    PictureOptions pictureOptions() const;
    void warnOfBroken() const;
    std::set<std::string> texts() const;  ///< all that are encoded before training
    EvaluationPlace evaluation(Weights weights) const;
    std::int64_t frames() const { return m_pipeline.framesWithin(m_experiment.integer("data.frames")); }  ///< of a clip, at most
    std::uint64_t seed() const { return static_cast<std::uint64_t>(m_experiment.integer("run.seed")); }

    const contract::Experiment& m_experiment;
    const TaskPlace& m_place;
    bool m_isNew;  ///< begins from nothing: the folder describes it, without weights
    contract::ModelFolder m_folder;
    DiffusionPipeline m_pipeline;
    std::string m_component;  ///< of the folder, that trains
    SigmaRule m_sigmas;       ///< on these noise levels
    PreparedPictures m_pictures;
    std::unique_ptr<Model> m_model;
    std::optional<contract::AdapterFile> m_adapterFile;  ///< that the adapter begins with
    std::vector<AdapterLayer> m_adapterLayers;  ///< empty: the model itself trains
    std::vector<std::string> m_prompts;         ///< of samples
    std::unique_ptr<BatchSource> m_batches;
    std::optional<FlowSteps> m_steps;
    UnitSequence* m_units = nullptr;
    std::optional<Adapters> m_adapters;
};

}  // namespace engine

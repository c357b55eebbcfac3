// Digits from nothing: a class-conditional transformer learns to draw them.
#pragma once
#include "engine/data/digits.h"
#include "engine/train/flow_steps.h"
#include "engine/train/task.h"

#include <optional>
#include <vector>

namespace engine {

class DigitsTask final : public Task {
public:
    /// @param experiment, mesh outlive this. @throws EngineError, see loadDigits() and buildModel().
    DigitsTask(const contract::Experiment& experiment, Mesh& mesh, c10::Device device);

    const Model& model() const override { return *m_model; }
    void begin(UnitSequence& units) override { m_units = &units; }
    ForwardSteps& steps() override { return *m_steps; }
    LossFunction loss() override { return m_steps->loss(); }
    double validationLoss(Weights weights) override;

    /// sample.per_label pictures of each label.
    at::Tensor samples(Weights weights) override;
    std::string samplePrompt() const override { return "digits 0 to 9"; }
    std::string writeSamples(const std::filesystem::path& runFolder, const at::Tensor& pictures, std::int64_t step) override;

    /// Whether a classifier of the real digits sees the label that was asked for in sample.judge samples.
    std::optional<Verdict> judge(Weights weights, bool isJudge) override;

private:
    at::Tensor draw(Weights weights, const std::vector<std::int64_t>& labels, const char* purpose);
    std::uint64_t seed() const { return static_cast<std::uint64_t>(m_experiment.integer("run.seed")); }

    const contract::Experiment& m_experiment;
    Mesh& m_mesh;
    c10::Device m_device;
    DataSplit m_data;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<BatchSource> m_batches;
    std::optional<FlowSteps> m_steps;
    UnitSequence* m_units = nullptr;
};

}  // namespace engine

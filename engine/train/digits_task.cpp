#include "engine/train/digits_task.h"

#include "engine/algorithm/digit_judge.h"
#include "engine/contract/journal.h"
#include "engine/contract/text.h"
#include "engine/model/registry.h"
#include "engine/train/run_setup.h"
#include "engine/train/sample_writer.h"
#include "engine/train/validation.h"

#include <ATen/ops/eq.h>
#include <ATen/ops/tensor.h>

namespace engine {
namespace metric = contract::metric;

DigitsTask::DigitsTask(const contract::Experiment& experiment, Mesh& mesh, c10::Device device)
    : m_experiment(experiment)
    , m_mesh(mesh)
    , m_device(device)
    , m_data(loadDigits(experiment.text("data.path"), experiment.real("data.validation_fraction"), seed()))
{
    const at::Tensor& images = m_data.training.images;
    m_model = buildModel(experiment, {images.size(2), images.size(1), m_data.training.classes},
        sequenceGroups(experiment, mesh));
    m_batches = std::make_unique<LabelledBatches>(m_data.training, experiment.integer("batch.micro"),
        experiment.real("model.label_dropout"), m_model->nullLabel(), seed());
    m_steps.emplace(*m_model, *m_batches, accumulationOf(experiment, mesh.data().size()), mesh.data(), device);
}

double DigitsTask::validationLoss(Weights weights)
{
    return engine::validationLoss(*m_model, *m_units, weights, m_mesh.data(), m_data.validation, seed(), m_device);
}

at::Tensor DigitsTask::draw(Weights weights, const std::vector<std::int64_t>& labels, const char* purpose)
{
    return drawSamples(*m_model, *m_units, weights, m_mesh.data(), labels, m_data.training.images.sizes().slice(1),
        samplerOptions(m_experiment), seed(), purpose, m_device);
}

at::Tensor DigitsTask::samples(Weights weights)
{
    return draw(weights, repeatedLabels(m_data.training.classes, m_experiment.integer("sample.per_label")), "samples");
}

std::string DigitsTask::writeSamples(const std::filesystem::path& runFolder, const at::Tensor& pictures, std::int64_t step)
{
    const auto columns = static_cast<int>(m_data.training.classes);
    return writeSampleGrid(runFolder, pictures, columns, samplePrompt(), step, seed(), samplerOptions(m_experiment));
}

std::optional<Task::Verdict> DigitsTask::judge(Weights weights, bool isJudge)
{
    const std::int64_t count = m_experiment.integer("sample.judge"), classes = m_data.training.classes;
    if (count == 0 || m_data.validation.labels.size(0) == 0)
        return std::nullopt;
    auto labels = repeatedLabels(classes, (count + classes - 1) / classes);
    labels.resize(static_cast<std::size_t>(count));
    const at::Tensor images = draw(weights, labels, "judged samples");
    if (!isJudge)
        return std::nullopt;
    const DigitJudge judge = DigitJudge::train(m_data, seed());
    const double agreement
        = judge.labels(images).eq(at::tensor(labels, at::kLong)).to(at::kDouble).mean().item<double>();
    return Verdict {{{metric::kJudgeAgreement, agreement}, {metric::kJudgeAccuracy, judge.accuracy()},
                        {"judge/samples", static_cast<double>(count)}},
        "a classifier of held-out accuracy " + contract::shortestText(judge.accuracy()) + " sees the asked label in "
            + contract::shortestText(agreement) + " of " + std::to_string(count) + " samples"};
}

}  // namespace engine

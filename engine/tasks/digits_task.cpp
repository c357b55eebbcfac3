#include "engine/tasks/digits_task.h"

#include "engine/algorithm/digit_reward.h"
#include "engine/algorithm/kept_judge.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/models/registry.h"
#include "engine/tasks/data_list.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/sample_writer.h"
#include "engine/tasks/validation.h"

#include <ATen/ops/eq.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/tensor.h>

#include <cstdio>
#include <exception>

namespace engine {
namespace metric = contract::metric;

namespace {

DataShape shapeOf(const DataSplit& data)
{
    const at::Tensor& images = data.training.images;
    return {images.size(2), images.size(1), data.training.classes};
}

/// "99.5 %" of 0.995.
std::string percent(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

KeptJudges keptJudges(const TaskContext& context) { return {context.cache, context.reportProgress, context.warn}; }

}  // namespace

DigitsTask::DigitsTask(const contract::Experiment& experiment, const TaskContext& context)
    : m_experiment(experiment)
    , m_mesh(context.mesh)
    , m_device(context.device)
    , m_context(context)
    , m_data(loadDigits(experiment.text("data.path"), experiment.real("data.validation_fraction"), seed()))
{
    m_model = buildModel(experiment, shapeOf(m_data), sequenceGroups(experiment, m_mesh));
    if (contract::isPolicyAlgorithm(experiment.text("algorithm.name")))
        return;
    m_batches = std::make_unique<LabelledBatches>(m_data.training, experiment.integer("batch.micro"),
        experiment.real("model.label_dropout"), m_model->nullLabel(), seed());
    m_steps.emplace(*m_model, *m_batches, accumulationOf(experiment, m_mesh.data().size()), m_mesh.data(), m_device);
    // The first step does not wait for it. If the disk is full, training says so soon.
    if (m_mesh.world().rank() == 0)
        m_listing = std::async(std::launch::async, [data = m_data, run = context.run] {
            try {
                listDigits(data, run);
            } catch (const std::exception&) {
            }
        });
}

void DigitsTask::begin(UnitSequence& units)
{
    m_units = &units;
    if (m_steps)
        return;
    const contract::PolicySettings settings = contract::policySettings(m_experiment);
    if (settings.distill != contract::DistillMode::None)
        m_teacher.emplace(settings.teacher, m_experiment, shapeOf(m_data), m_mesh, m_device);
    m_rollouts.emplace(m_data, *m_model, m_teacher ? &*m_teacher : nullptr,
        keptDigitJudge(m_data, seed(), DigitNetwork::Shape::Wide, keptJudges(m_context), "gives the reward"),
        settings.goldReward.empty() ? nullptr : &judge(), m_mesh.data(), m_device, m_context.keepSample);
    m_rounds.emplace(settings, *m_model, units, *m_rollouts, m_mesh.data(), m_device,
        m_experiment.integer("batch.micro"), seed(), RoundCallbacks {m_context.reportProgress, m_context.warn, m_context.isStopAgreed},
        contract::roundOptions(m_experiment));
}

ForwardSteps& DigitsTask::steps()
{
    if (m_rounds)
        return *m_rounds;
    return *m_steps;
}

std::optional<double> DigitsTask::validationLoss(Weights weights)
{
    return engine::validationLoss(*m_model, *m_units, weights, m_mesh.data(), m_data.validation, seed(), m_device);
}

at::Tensor DigitsTask::draw(Weights weights, const std::vector<std::int64_t>& labels, const char* purpose)
{
    return drawSamples(*m_model, *m_units, weights, m_mesh.data(), labels, m_data.training.images.sizes().slice(1),
        samplerOptions(m_experiment), seed(), purpose, m_device);
}

std::vector<DrawnSample> DigitsTask::samples(Weights weights)
{
    const std::int64_t classes = m_data.training.classes;
    const at::Tensor images = draw(weights, repeatedLabels(classes, m_experiment.integer("sample.per_label")), "samples");
    std::vector<DrawnSample> samples;
    for (std::int64_t label = 0; label < classes; ++label)
        samples.push_back({.prompt = "digit " + std::to_string(label), .images = images.slice(0, label, std::nullopt, classes)});
    return samples;
}

std::vector<std::int64_t> DigitsTask::judgedLabels() const
{
    const std::int64_t count = m_experiment.integer("sample.judge"), classes = m_data.training.classes;
    auto labels = repeatedLabels(classes, (count + classes - 1) / classes);
    labels.resize(m_data.validation.labels.size(0) == 0 ? 0 : static_cast<std::size_t>(count));
    return labels;
}

const DigitJudge& DigitsTask::judge()
{
    if (!m_judge)
        m_judge = keptDigitJudge(m_data, seed(), DigitNetwork::Shape::Deep, keptJudges(m_context), "judges");
    return *m_judge;
}

at::Tensor DigitsTask::judgedRewards(Weights weights)
{
    const auto labels = judgedLabels();
    return digitReward(judge(), draw(weights, labels, "judged samples"), at::tensor(labels, at::kLong));
}

NamedNumbers DigitsTask::judgeBase()
{
    const auto labels = judgedLabels();
    if (!m_rounds || labels.empty())
        return {};
    m_context.reportProgress("judges the model before training");
    m_baseRewards = judgedRewards(Weights::Master);
    return {{metric::kJudgeBaseReward, m_baseRewards.mean().item<double>()}};
}

std::optional<Task::Verdict> DigitsTask::judge(Weights weights, bool isJudge)
{
    const auto labels = judgedLabels();
    if (labels.empty())
        return std::nullopt;
    m_context.reportProgress("judges the trained model");
    const at::Tensor images = draw(weights, labels, "judged samples");
    if (!m_baseRewards.defined() && m_rounds && contract::policySettings(m_experiment).keepsReference())
        m_baseRewards = judgedRewards(Weights::Reference);  // a resumed attempt
    if (!isJudge)
        return std::nullopt;
    const at::Tensor asked = at::tensor(labels, at::kLong);
    const double agreement = judge().labels(images).eq(asked).to(at::kDouble).mean().item<double>();
    Verdict verdict {{{metric::kJudgeAgreement, agreement}, {metric::kJudgeAccuracy, judge().accuracy()},
                         {"judge/samples", static_cast<double>(labels.size())}},
        "the digit classifier (held-out accuracy " + contract::shortestText(judge().accuracy())
            + ") recognises the requested label in " + percent(agreement) + " of " + std::to_string(labels.size()) + " samples"};
    if (m_rounds) {
        const at::Tensor rewards = digitReward(judge(), images, asked);
        const double reward = rewards.mean().item<double>();
        verdict.metrics[metric::kJudgeReward] = reward;
        verdict.sentence += "; their mean reward is " + contract::shortestText(reward);
        if (m_baseRewards.defined())
            verdict.metrics[metric::kJudgeWins] = rewards.gt(m_baseRewards).to(at::kDouble).mean().item<double>();
    }
    return verdict;
}

}  // namespace engine

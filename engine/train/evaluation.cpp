#include "engine/train/evaluation.h"

#include "engine/algorithm/digit_judge.h"
#include "engine/train/run_setup.h"
#include "engine/train/sample_writer.h"
#include "engine/train/validation.h"

#include <ATen/ops/eq.h>
#include <ATen/ops/tensor.h>

namespace engine {

Evaluation::Evaluation(const contract::Experiment& experiment, const Model& model, UnitSequence& units,
    Group& dataRanks, const DataSplit& data, c10::Device device)
    : m_experiment(experiment)
    , m_model(model)
    , m_units(units)
    , m_dataRanks(dataRanks)
    , m_data(data)
    , m_device(device)
{
}

Weights Evaluation::weights() const
{
    return m_experiment.real("ema.decay") > 0 && m_experiment.boolean("ema.use") ? Weights::Ema : Weights::Master;
}

double Evaluation::validationLoss()
{
    return engine::validationLoss(m_model, m_units, weights(), m_dataRanks, m_data.validation, seed(), m_device);
}

at::Tensor Evaluation::draw(const std::vector<std::int64_t>& labels, const char* purpose)
{
    return drawSamples(m_model, m_units, weights(), m_dataRanks, labels, m_data.training.images.sizes().slice(1),
        samplerOptions(m_experiment), seed(), purpose, m_device);
}

at::Tensor Evaluation::samples()
{
    return draw(repeatedLabels(m_data.training.classes, m_experiment.integer("sample.per_label")), "samples");
}

std::optional<Evaluation::Verdict> Evaluation::judge(bool isJudge)
{
    const std::int64_t count = m_experiment.integer("sample.judge"), classes = m_data.training.classes;
    if (count == 0 || m_data.validation.labels.size(0) == 0)
        return std::nullopt;
    auto labels = repeatedLabels(classes, (count + classes - 1) / classes);
    labels.resize(static_cast<std::size_t>(count));
    const at::Tensor images = draw(labels, "judged samples");
    if (!isJudge)
        return std::nullopt;
    const DigitJudge judge = DigitJudge::train(m_data, seed());
    const at::Tensor isRight = judge.labels(images).eq(at::tensor(labels, at::kLong));
    return Verdict {isRight.to(at::kDouble).mean().item<double>(), judge.accuracy(), count};
}

}  // namespace engine

#include "engine/worker/run_evaluation.h"

#include "engine/tasks/engine_options.h"
#include "engine/tasks/sample_writer.h"
#include "engine/worker/log.h"

#include <ATen/ops/isfinite.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace engine {
namespace metric = contract::metric;
namespace {

/// "samples/step-00000200-prompt-01.png", from the second attempt on "samples/step-00000200-prompt-01-attempt-2.png": an attempt must
/// not replace the images of an earlier one.
/// @param what "step", "round" @param detail follows the number
std::string sampleFile(const char* what, std::int64_t number, int attempt, const std::string& detail = {})
{
    char name[80];
    std::snprintf(name, sizeof name, "samples/%s-%08lld", what, static_cast<long long>(number));
    return name + detail + (attempt > 1 ? "-attempt-" + std::to_string(attempt) : std::string()) + ".png";
}

}  // namespace

RunEvaluation::RunEvaluation(const Parts& parts)
    : m_parts(parts)
{
}

NamedNumbers RunEvaluation::validate()
{
    const RunJournal::During during(m_parts.journal, "measures the validation loss");
    m_parts.offload.setUse(Offload::Use::Evaluation);
    const std::optional<double> loss = m_parts.task.validationLoss(evaluationWeights(m_parts.experiment));
    m_parts.offload.setUse(Offload::Use::None);
    if (!m_parts.isFirstRank || !loss)
        return {};
    m_parts.journal.metrics({{metric::kValidationLoss, *loss}});
    return {{metric::kValidationLoss, *loss}};
}

NamedNumbers RunEvaluation::judgeBase()
{
    const RunJournal::During during(m_parts.journal, "judges the model before training");
    m_parts.offload.setUse(Offload::Use::Evaluation);
    const NamedNumbers numbers = m_parts.task.judgeBase();
    m_parts.offload.setUse(Offload::Use::None);
    if (m_parts.isFirstRank && !numbers.empty())
        m_parts.journal.metrics(numbers);
    return numbers;
}

NamedNumbers RunEvaluation::judge()
{
    const RunJournal::During during(m_parts.journal, "judges the trained model");
    m_parts.offload.setUse(Offload::Use::Evaluation);
    const auto verdict = m_parts.task.judge(evaluationWeights(m_parts.experiment), m_parts.isFirstRank);
    m_parts.offload.setUse(Offload::Use::None);
    if (!verdict)
        return {};
    m_parts.journal.metrics(verdict->metrics);
    logInfo(verdict->sentence);
    return verdict->metrics;
}

void RunEvaluation::sample(std::int64_t step)
{
    const contract::Experiment& experiment = m_parts.experiment;
    m_sampledStep = step;
    const RunJournal::During during(m_parts.journal, "draws samples");
    m_parts.offload.setUse(Offload::Use::Evaluation);
    const std::vector<DrawnSample> samples = m_parts.task.samples(evaluationWeights(experiment));
    m_parts.offload.setUse(Offload::Use::None);
    m_parts.memory.releaseMappedFiles();
    if (m_parts.accelerator)
        m_parts.accelerator->emptyCache();  // training needs blocks of other sizes
    if (!m_parts.isFirstRank)
        return;
    try {
        const auto seed = static_cast<std::uint64_t>(experiment.integer("run.seed"));
        std::size_t broken = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (!at::isfinite(samples[i].images).all().item<bool>()) {
                ++broken;
                continue;
            }
            char detail[32];
            std::snprintf(detail, sizeof detail, "-prompt-%02zu", i + 1);
            const std::string file = sampleFile("step", step, m_parts.attempt, detail);
            writeSample(m_parts.folder.root() / file, samples[i], step, seed, samplerOptions(experiment));
            m_parts.journal.sample(file, samples[i].prompt, seed, samplerOptions(experiment),
                evaluationWeights(experiment) == Weights::Ema ? "ema" : "model");
        }
        if (broken > 0)
            m_parts.journal.warn(std::to_string(broken) + " of the " + std::to_string(samples.size()) + " samples of step " + std::to_string(step)
                + " came out as NaN or infinite and were not written");
    } catch (const std::exception& error) {
        m_parts.journal.warn("samples not written: " + std::string(error.what()));
    }
}

void RunEvaluation::keep(const RoundSample& sample, const std::string& prompt, const at::Tensor& frames)
{
    if (!m_parts.isFirstRank)
        return;
    try {
        const std::string file = sampleFile("round", sample.round, m_parts.attempt,
            (sample.promptPlace == 1 ? "-best-prompt-" : "-worst-prompt-") + std::to_string(sample.place));
        writeRoundSample(m_parts.folder.root() / file, sample, prompt, frames);
        m_parts.journal.sample(file, prompt, static_cast<std::uint64_t>(m_parts.experiment.integer("run.seed")),
            m_parts.experiment.real("rollout.guidance"), sample);
    } catch (const std::exception& error) {
        m_parts.journal.warn("samples not written: " + std::string(error.what()));
    }
}

}  // namespace engine

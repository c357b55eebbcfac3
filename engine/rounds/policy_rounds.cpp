#include "engine/rounds/policy_rounds.h"

#include "engine/algorithm/metric_reduction.h"
#include "engine/algorithm/policy_algorithm.h"
#include "engine/algorithm/preference_pairs.h"
#include "engine/algorithm/rollout_metrics.h"
#include "engine/comm/errors.h"
#include "engine/rounds/gathered_samples.h"
#include "engine/rounds/round_correction.h"
#include "engine/rounds/round_samples.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace engine {
namespace {

std::unique_ptr<Experience> experienceOf(
    const contract::PolicySettings& settings, const Rollout& rollout, const RolloutSource& source, std::uint64_t seed)
{
    if (settings.isForward)
        return noisedExperience(settings, rollout, source.trainingLevels(), seed);
    return trajectoryExperience(rollout);
}

GuidanceOptions guidanceOf(const contract::PolicySettings& settings, const RolloutSource& source)
{
    return {source.guidance(), settings.rollout.guidance};
}

OldPolicy oldPolicyOf(const contract::OldPolicySettings& settings)
{
    return {settings.decay ? OldPolicySchedule() : oldPolicySchedule(settings.schedule), settings.decay, settings.every};
}

/// Outputs of a model that the algorithm's loss takes as fields with this prefix.
std::vector<std::string> comparedOutputs(const Algorithm& algorithm, const std::string& prefix)
{
    const LossInputs inputs = algorithm.inputs();
    std::vector<std::string> outputs;
    for (const auto* fields : {&inputs.fields, &inputs.optionalFields}) {
        for (const std::string& field : *fields) {
            if (field.starts_with(prefix))
                outputs.push_back(field.substr(prefix.size()));
        }
    }
    return outputs;
}

/// The group of each row: rows of one prompt are adjacent.
std::vector<std::int64_t> groupsOfRows(std::int64_t rows, std::int64_t rowsPerGroup)
{
    std::vector<std::int64_t> groups;
    for (std::int64_t row = 0; row < rows; ++row)
        groups.push_back(row / rowsPerGroup);
    return groups;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

}  // namespace

PolicyRounds::PolicyRounds(const contract::PolicySettings& settings, const Model& model, UnitSequence& units, RolloutSource& source,
    Group& dataRanks, c10::Device device, std::int64_t microBatch, std::uint64_t seed, RoundCallbacks callbacks,
    std::map<std::string, std::string> dependences)
    : m_settings(settings)
    , m_algorithm(makePolicyAlgorithm(settings))
    , m_network(model)
    , m_units(units)
    , m_source(source)
    , m_dataRanks(dataRanks)
    , m_device(device)
    , m_microBatch(microBatch)
    , m_rowsOfRound(source.hasPairs() ? settings.trainedSamples() : settings.rollout.rows())
    , m_seed(seed)
    , m_callbacks(std::move(callbacks))
    , m_model([&](const ModelInput& input, double) { return predict(model, units, input); }, guidanceOf(settings, source),
          source.levels(settings.rollout.steps).trainTimesteps, device)
    , m_teacher([&](const ModelInput& input, double) { return source.teacherPrediction(input); }, guidanceOf(settings, source),
          source.levels(settings.rollout.steps).trainTimesteps, device)
    , m_sampler(
          [&](const ModelInput& input, double timestep) {
              return source.trainedTimesteps().contains(timestep) ? predict(model, units, input) : source.otherPrediction(input);
          },
          guidanceOf(settings, source), source.levels(settings.rollout.steps).trainTimesteps, device)
    , m_rollout(settings, source, m_sampler, dataRanks, seed, device, m_algorithm->needs().stepMeans)
    , m_experience(experienceOf(settings, m_rollout, source, seed))
    , m_stored(settings, m_algorithm->needs(), predictions(),
          {microBatch, timesteps(), m_rollout.stochasticSteps(), source.latentShape(), source.prompts()})
    , m_facts(std::move(dependences))
    , m_oldPolicy(oldPolicyOf(settings.forward.old))
    , m_reference(settings)
    , m_watch(settings)
{
    const std::int64_t each = dataRanks.size() * microBatch * settings.miniBatches;
    for (const std::int64_t rows : {m_rowsOfRound, settings.trainedSamples()}) {
        if (rows % each != 0)
            throw EngineError(EngineError::Kind::WrongUsage,
                "a round has " + std::to_string(rows) + " samples, which is not a multiple of " + std::to_string(each)
                    + ": batch.micro times the data-parallel ranks times policy.mini_batches");
    }
    m_facts["the prompts"] = source.promptsKey();
    m_facts["predictions of other weights"] = joined(predictions());
    if (settings.shuffles)  // divides the micro-batches of each rank among the updates
        m_facts["the number of data-parallel ranks"] = std::to_string(dataRanks.size());
}

std::int64_t PolicyRounds::microBatches() const { return microsOf(m_settings.trainedSamples()) / m_settings.miniBatches; }

std::vector<std::string> PolicyRounds::predictions() const
{
    std::vector<std::string> names;
    const auto add = [&](const std::string& prefix) {
        for (const std::string& output : comparedOutputs(*m_algorithm, prefix))
            names.push_back(prefix + output);
    };
    for (const auto& [prefix, weights] : m_algorithm->needs().passes)
        add(prefix + "_");
    if (m_algorithm->needs().teacher)
        add("teacher_");
    if (m_algorithm->correction() && m_algorithm->correction()->isEnabled())
        names.emplace_back("rollout_is_weights");
    return names;
}

void PolicyRounds::orderUpdates(std::int64_t round, std::int64_t made)
{
    // The same order on all ranks: what an update takes are the same places of every rank.
    m_order.emplace(MiniBatchOptions {.miniBatches = m_settings.miniBatches, .epochs = m_settings.epochs,
                        .seed = m_seed + static_cast<std::uint64_t>(round), .shuffles = m_settings.shuffles},
        microsOf(m_settings.trainedSamples()), /*dataRank=*/0, /*dataRanks=*/1);
    for (std::int64_t update = 0; update < made; ++update)
        m_order->next();
}

TrainedRows PolicyRounds::trainedRows(DrawnRows drawn, std::int64_t round)
{
    TrainedRows rows = m_experience->rows(std::move(drawn), round);
    if (m_algorithm->needs().wholeGroups) {
        std::vector<std::int64_t> groups;
        for (const std::uint64_t row : rows.drawn.rows)
            groups.push_back(static_cast<std::int64_t>(row) / m_settings.rollout.samplesPerPrompt);
        rows.groups.emplace(groups, m_settings.rollout.samplesPerPrompt, m_dataRanks, m_device);
    }
    return rows;
}

NamedNumbers PolicyRounds::followPolicy(std::int64_t round)
{
    // A run that was stopped during the rollout has a checkpoint in which the old policy has followed already.
    const bool hasFollowed = std::exchange(m_followedRound, round) == round;
    return oldPolicyMetrics(hasFollowed ? m_oldPolicy.updateAfter(round) : m_oldPolicy.follow(m_units, round));
}

std::optional<NamedNumbers> PolicyRounds::startRound(std::int64_t step)
{
    const at::NoGradGuard noGrad;
    const std::int64_t round = step / updates(), made = step % updates();
    m_loaded = nullptr;
    m_micros.clear();
    NamedNumbers metrics;
    if (round > 0 && made == 0 && m_settings.keepsOld())
        metrics = followPolicy(round);
    orderUpdates(round, made);

    Stopwatch watch;
    std::map<std::string, double> seconds;
    if (m_source.hasPairs()) {
        takePairs(round);
    } else {
        std::optional<NamedNumbers> numbers = rollOut(round, seconds, watch);
        if (!numbers)
            return std::nullopt;
        metrics.merge(*numbers);
    }
    const contract::CorrectionSpec* const correction = m_algorithm->correction();
    if (correction)
        for (TrainedRows& micro : m_micros)
            micro.fields["rollout_log_probs"] = micro.fields.at("old_log_probs");
    for (const auto& [prefix, weights] : m_algorithm->needs().passes) {
        addPasses(prefix, weights);
        seconds[prefix == "ref" ? prefix : prefix + "_prediction"] = watch.lap() / 1000;
    }
    if (m_algorithm->needs().teacher) {
        addPasses("teacher", m_teacher);
        seconds["teacher"] = watch.lap() / 1000;
    }
    if (correction)
        metrics.merge(correctRound(m_micros, *correction, m_rowsOfRound, m_dataRanks, m_device));
    m_callbacks.reportProgress("trains");
    m_isUnderWay = true;

    metrics.merge(perfMetrics(seconds, m_rowsOfRound, m_dataRanks.size()));
    for (const std::string& notice : m_watch.addRound(metrics))
        m_callbacks.warn(notice);
    return metrics;
}

std::optional<NamedNumbers> PolicyRounds::rollOut(std::int64_t round, std::map<std::string, double>& seconds, Stopwatch& watch)
{
    at::Tensor rewards = at::zeros({m_rowsOfRound}, at::kDouble);
    std::vector<DrawnRows> drawn = draw(round, rewards);
    if (drawn.empty())
        return std::nullopt;
    seconds["gen"] = watch.lap() / 1000;

    rewards = summed(rewards, "rewards").to(at::kFloat);
    if (m_settings.keepsSamplesOf(round))
        showBestAndWorst(m_source, round, drawn, rewards, m_settings.rollout.samplesPerPrompt, m_dataRanks, m_device);
    const std::vector<std::int64_t> groups = groupsOfRows(m_rowsOfRound, m_settings.rollout.samplesPerPrompt);
    const at::Tensor columns = rewards.unsqueeze(1).expand({m_rowsOfRound, timesteps()}).contiguous();
    const GroupAdvantages advantages = groupAdvantages(columns, groups, m_algorithm->advantages());
    if (m_settings.arePairs())
        drawn = paired(drawn, rewards, round);
    for (DrawnRows& each : drawn)
        m_micros.push_back(trainedRows(std::move(each), round));
    for (TrainedRows& micro : m_micros) {
        const auto first = static_cast<std::int64_t>(micro.drawn.rows.front());
        if (!m_settings.arePairs())
            micro.fields["advantages"] = advantages.advantages.narrow(0, first, m_microBatch).to(m_device);
    }
    seconds["adv"] = watch.lap() / 1000;
    NamedNumbers metrics = dataMetrics({.rewards = columns, .advantages = advantages.advantages, .returns = {}, .groups = groups});
    metrics.merge(m_source.takeRewardMeans());
    return metrics;
}

double PolicyRounds::stepsPerEpoch() const
{
    return static_cast<double>(updates() * m_source.prompts()) / static_cast<double>(m_settings.rollout.prompts);
}

void PolicyRounds::takePairs(std::int64_t round)
{
    for (std::int64_t micro = 0; micro < microsOf(m_rowsOfRound); ++micro)
        m_micros.push_back(trainedRows(m_rollout.storedPairs(firstRow(micro), m_microBatch, round), round));
}

void PolicyRounds::reportSamples(const std::string& what, std::int64_t micros)
{
    const auto now = std::chrono::steady_clock::now();
    if (micros > 0 && now - m_lastReport < std::chrono::seconds(1))
        return;
    m_lastReport = now;
    const std::int64_t samples = micros * m_microBatch * m_dataRanks.size();
    m_callbacks.reportProgress(what + (samples > 0 ? ", " + std::to_string(samples) + " of " + std::to_string(m_rowsOfRound) : std::string()));
}

std::vector<DrawnRows> PolicyRounds::draw(std::int64_t round, at::Tensor& rewards)
{
    const UnitSequence::EvaluationScope scope(m_units, m_algorithm->samplingWeights(round));
    m_rollout.begin(round, m_microBatch);
    std::vector<DrawnRows> drawn;
    std::vector<at::Tensor> scores;
    for (std::int64_t micro = 0; micro < microsOf(m_rowsOfRound); ++micro) {
        if (m_callbacks.isStopAgreed() || !awaitRewards(/*all=*/false)) {
            m_source.abandonRewards();
            return {};
        }
        reportSamples("draws and scores samples of round " + std::to_string(round + 1), micro);
        drawn.push_back(m_rollout.draw(firstRow(micro), m_microBatch, round));
        scores.push_back(m_source.rewards(drawn.back().clean, drawn.back().rows, drawn.back().prompts));
    }
    if (!awaitRewards(/*all=*/true)) {
        m_source.abandonRewards();
        return {};
    }
    m_source.finishRewards();
    for (std::int64_t micro = 0; micro < microsOf(m_rowsOfRound); ++micro)
        rewards.narrow(0, firstRow(micro), m_microBatch).copy_(scores[static_cast<std::size_t>(micro)]);
    return drawn;
}

bool PolicyRounds::awaitRewards(bool all)
{
    constexpr std::chrono::milliseconds kPatience {250};
    while (!m_source.awaitRewards(all, kPatience)) {
        if (m_callbacks.isStopAgreed())
            return false;
    }
    return true;
}

at::Tensor PolicyRounds::summed(const at::Tensor& values, const char* what)
{
    at::Tensor all = values.to(m_device);
    m_dataRanks.allReduceSum(all, what);
    return m_dataRanks.onHost(all);
}

std::vector<DrawnRows> PolicyRounds::paired(const std::vector<DrawnRows>& drawn, const at::Tensor& rewards, std::int64_t round)
{
    const auto* const scores = rewards.const_data_ptr<float>();
    const auto groups = groupsOfRows(m_rowsOfRound, m_settings.rollout.samplesPerPrompt);
    const std::vector<std::int64_t> pairs = preferencePairs(groups, std::vector<double>(scores, scores + m_rowsOfRound));

    const at::Tensor samples = gatheredSamples(drawn, pairs, m_dataRanks);
    std::vector<DrawnRows> result;
    for (std::int64_t micro = 0; micro < microsOf(samples.size(0)); ++micro) {
        DrawnRows& rows = result.emplace_back();
        for (std::int64_t place = firstRow(micro); place < firstRow(micro) + m_microBatch; ++place) {
            rows.rows.push_back(static_cast<std::uint64_t>(place));
            rows.prompts.push_back(m_rollout.plannedRows(pairs[static_cast<std::size_t>(place)], 1, round).prompts.front());
        }
        rows.conditions = m_source.conditions(rows.prompts);
        rows.clean = samples.narrow(0, firstRow(micro), m_microBatch);
    }
    return result;
}

void PolicyRounds::addPasses(const std::string& prefix, Weights weights)
{
    const UnitSequence::EvaluationScope scope(m_units, weights);
    addPasses(prefix, m_model);
}

void PolicyRounds::addPasses(const std::string& prefix, const GuidedModel& model)
{
    static const std::map<std::string, std::string> modelNames
        = {{"ref", "the reference"}, {"ema", "the moving average"}, {"old", "the old policy"}, {"teacher", "the teacher"}};
    const std::vector<std::string> names = comparedOutputs(*m_algorithm, prefix + "_");
    for (std::size_t done = 0; done < m_micros.size(); ++done) {
        reportSamples("predicts with " + modelNames.at(prefix), static_cast<std::int64_t>(done));
        TrainedRows& micro = m_micros[done];
        std::map<std::string, std::vector<at::Tensor>> columns;
        for (std::int64_t timestep = 0; timestep < timesteps(); ++timestep) {
            const at::Tensor velocity = model.velocityAt(
                micro.drawn.conditions, micro.latents.select(1, timestep).contiguous(), micro.timesteps[static_cast<std::size_t>(timestep)]);
            const NamedTensors outputs = m_experience->outputs(micro, timestep, velocity);
            for (const std::string& name : names)
                columns[name].push_back(outputs.at(name));
        }
        for (const auto& [name, values] : columns)
            micro.fields[prefix + "_" + name] = at::stack(values, 1);
    }
}

void PolicyRounds::begin(const TrainingProgress& /*progress*/)
{
    m_updateWatch.lap();
    MiniBatches::MiniBatch update = m_order.value().next().value();
    m_update = std::move(update.rows);
    m_isUnderWay = !update.isLast;
    m_metrics.clear();
}

void PolicyRounds::load(std::int64_t micro)
{
    m_loaded = &m_micros.at(static_cast<std::size_t>(m_update.at(static_cast<std::size_t>(micro))));
}

ForwardStep PolicyRounds::forward(Tape& tape, std::int64_t timestep)
{
    const ModelInput input = m_model.input(m_loaded->drawn.conditions, m_loaded->latents.select(1, timestep).contiguous(),
        m_loaded->timesteps[static_cast<std::size_t>(timestep)]);
    return {m_network.forward(tape, input), m_network.forwardFlops(input)};
}

LossFunction PolicyRounds::loss()
{
    return [this](const ForwardStep& step, std::int64_t timestep) {
        const LossGradient result = differentiate(step.prediction->data, [&](const at::Tensor& prediction) {
            NamedTensors fields;
            for (const auto& [name, values] : m_loaded->fields)
                fields[name] = values.select(1, timestep).clone();  // made where autograd is on: it may save them for backward
            return m_algorithm->loss(m_experience->outputs(*m_loaded, timestep, m_model.velocity(prediction)), fields,
                m_loaded->groups ? &*m_loaded->groups : nullptr);
        });
        for (const auto& [name, value] : result.metrics)
            m_metrics[name].push_back(value);
        if (m_device.is_cpu())
            return StepLoss {result.loss.item<double>(), result.gradient, {}};
        return StepLoss {0, result.gradient, {}, result.loss};
    };
}

NamedNumbers PolicyRounds::takeMetrics()
{
    std::map<std::string, Metric> metrics;
    for (const auto& [name, values] : m_metrics) {
        const at::Tensor host = m_dataRanks.onHost(at::stack(values).to(at::kDouble)).contiguous();
        metrics[name].values.assign(host.const_data_ptr<double>(), host.const_data_ptr<double>() + host.numel());
    }
    m_metrics.clear();
    NamedNumbers numbers = reduceMetrics(metrics, m_dataRanks, m_device);
    for (const std::string& notice : m_watch.addUpdate(numbers))
        m_callbacks.warn(notice);
    if (m_reference.add(numbers))
        m_algorithm->setReferenceCoefficient(m_reference.coefficient());
    m_updateSeconds += m_updateWatch.lap() / 1000;
    if (!m_isUnderWay)
        numbers.merge(perfMetrics({{"update_actor", std::exchange(m_updateSeconds, 0)}}, m_rowsOfRound, m_dataRanks.size()));
    return numbers;
}

}  // namespace engine

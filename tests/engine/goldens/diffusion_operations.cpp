#include "tests/engine/goldens/golden_operations.h"

#include "engine/diffusion/flow_solver.h"
#include "engine/diffusion/forward_noising.h"
#include "engine/diffusion/guidance.h"
#include "engine/diffusion/pair_noising.h"
#include "engine/diffusion/sde_window.h"
#include "engine/diffusion/stochastic_step.h"
#include "engine/diffusion/training_timesteps.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <stdexcept>

namespace tests {
namespace {

template <typename T>
std::vector<T> valuesOf(const at::Tensor& tensor)
{
    const at::Tensor values = tensor.contiguous();
    return {values.const_data_ptr<T>(), values.const_data_ptr<T>() + values.numel()};
}

engine::FlowMatchConfig scheduleOf(const GoldenCase& golden)
{
    return engine::flowMatchConfig(contract::JsonConfig(golden.name(), golden.config().dump()));
}

engine::NoiseLevels levelsOf(const GoldenCase& golden)
{
    engine::LevelRequest request {.steps = golden.config().at("num_steps")};
    if (golden.config().contains("mu"))
        request.mu = golden.option("mu", 0.0);
    request.sigmas = golden.option("custom_sigmas", std::vector<double>());
    request.timesteps = golden.option("custom_timesteps", std::vector<double>());
    if (const auto mode = golden.option("sigmas_mode", std::string()); mode == "linspace_1_to_1_over_n")
        request.spacing = engine::Spacing::Sigmas;
    else if (!mode.empty())
        throw std::runtime_error("unknown sigmas_mode " + mode);
    return engine::noiseLevels(scheduleOf(golden), request);
}

void checkTables(GoldenCase& golden, const engine::NoiseLevels& levels)
{
    golden.check("sigmas", at::tensor(levels.sigmas));
    golden.check("timesteps", at::tensor(levels.timesteps));
}

void runTables(GoldenCase& golden)
{
    const engine::TrainingLevels training = engine::trainingLevels(scheduleOf(golden));
    golden.check("init_sigmas", at::tensor(training.sigmas));
    golden.check("init_timesteps", at::tensor(training.timesteps));
    checkTables(golden, levelsOf(golden));
}

/// Of a model whose tokens are squares of @p patch latents.
void runImageTables(GoldenCase& golden, engine::Spacing spacing, std::int64_t patch)
{
    const auto tokens = [&](const char* edge) {
        return golden.config().at(edge).get<std::int64_t>() / golden.config().at("vae_scale_factor").get<std::int64_t>() / patch;
    };
    checkTables(golden, engine::noiseLevels(scheduleOf(golden), spacing, golden.config().at("num_steps"), tokens("height") * tokens("width")));
}

void runVideoTable(GoldenCase& golden)
{
    checkTables(golden, engine::noiseLevels(scheduleOf(golden), engine::Spacing::Sigmas, golden.config().at("num_steps"), 0));
}

/// Timesteps are the levels themselves, and the last of the points is the end.
void runUnifiedTable(GoldenCase& golden)
{
    engine::FlowMatchConfig schedule = scheduleOf(golden);
    schedule.trainTimesteps = 1;
    const auto points = std::max<std::int64_t>(2, golden.config().at("num_steps"));
    checkTables(golden, engine::noiseLevels(schedule, engine::Spacing::Sigmas, points - 1, 0));
}

void runIndices(GoldenCase& golden)
{
    const auto table = valuesOf<float>(golden.input("schedule"));
    std::vector<std::int64_t> indices;
    for (const float timestep : valuesOf<float>(golden.input("query")))
        indices.push_back(static_cast<std::int64_t>(engine::indexOfTimestep(table, static_cast<double>(timestep))));
    golden.check("index", at::tensor(indices));
}

void runDynamicShift(GoldenCase& golden)
{
    std::vector<double> shifts;
    for (const std::int64_t tokens : valuesOf<std::int64_t>(golden.input("image_seq_len")))
        shifts.push_back(engine::dynamicShift(scheduleOf(golden), tokens));
    golden.check("mu", at::tensor(shifts));
}

void runEuler(GoldenCase& golden)
{
    const engine::NoiseLevels levels = levelsOf(golden);
    checkTables(golden, levels);
    const auto solver = engine::makeSolver(levels, [&](std::size_t step) { return golden.input("noise").select(0, static_cast<std::int64_t>(step)); });
    at::Tensor latents = golden.input("sample");
    std::vector<at::Tensor> trajectory;
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(levels.timesteps.size()); ++step)
        trajectory.push_back(latents = solver->next(latents, golden.input("model_output").select(0, step)));
    golden.check("trajectory", at::stack(trajectory));
}

engine::StochasticStepping steppingOf(const GoldenCase& golden)
{
    return {engine::sdeType(golden.config().at("sde_type").get<std::string>()), golden.option("include_logprob_normalizer", true)};
}

void runStochasticStep(GoldenCase& golden)
{
    engine::NoiseLevels levels;
    levels.sigmas = valuesOf<float>(golden.input("sigmas"));
    levels.timesteps = valuesOf<float>(golden.input("timesteps"));
    const bool isPerRow = golden.hasInput("noise_level");
    auto rows = engine::rowSteps(levels, golden.input("timestep"), isPerRow ? 0 : golden.config().at("noise_level").get<double>());
    const auto indices = valuesOf<std::int64_t>(golden.input("timestep_index"));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].step != indices[row])
            throw std::runtime_error(golden.name() + ": another step was found for row " + std::to_string(row));
        if (isPerRow)
            rows[row].noiseLevel = golden.input("noise_level").flatten()[static_cast<std::int64_t>(row)].item<double>();
    }
    const auto step = engine::transition(levels, steppingOf(golden), golden.input("sample"), golden.leaf("model_output"), rows);
    golden.check("prev_sample_mean", step.mean);
    golden.check("std_dev_t", step.deviation);
    golden.check("sqrt_dt", step.sqrtDt);
    at::Tensor next;
    if (golden.hasInput("noise")) {
        next = engine::nextLatents(step, golden.input("noise"));
        golden.check("prev_sample", next);
    } else {
        next = golden.input("prev_sample");
    }
    at::Tensor loss = (golden.input("cotangent_mean") * step.mean).sum();
    if (golden.hasOutput("log_prob")) {
        const at::Tensor logProb = engine::logProbability(step, next);
        golden.check("log_prob", logProb);
        loss = loss + (golden.input("cotangent_log_prob") * logProb).sum();
    }
    golden.checkGradients(loss);
}

void runStochasticRollout(GoldenCase& golden)
{
    const engine::NoiseLevels levels = levelsOf(golden);
    checkTables(golden, levels);
    at::Tensor latents = golden.input("sample");
    std::vector<at::Tensor> samples, means, deviations, logProbs;
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(levels.timesteps.size()); ++step) {
        const std::vector<engine::RowStep> rows(static_cast<std::size_t>(latents.size(0)), {step, golden.config().at("noise_level").get<double>()});
        const auto taken = engine::transition(levels, steppingOf(golden), latents, golden.input("model_output").select(0, step), rows);
        latents = engine::nextLatents(taken, golden.input("noise").select(0, step));
        samples.push_back(latents);
        means.push_back(taken.mean);
        deviations.push_back(taken.deviation.flatten()[0]);
        logProbs.push_back(engine::logProbability(taken, latents));
    }
    golden.check("prev_sample", at::stack(samples));
    golden.check("prev_sample_mean", at::stack(means));
    golden.check("std_dev_t", at::stack(deviations));
    golden.check("log_prob", at::stack(logProbs));
}

void runWindows(GoldenCase& golden)
{
    engine::SdeWindowOptions options;
    if (const auto size = golden.option("sde_window_size", std::int64_t {0}); size != 0)
        options.size = size;
    const auto range = golden.option("sde_window_range", std::vector<std::int64_t> {options.first, options.last});
    options.first = range.at(0);
    options.last = range.at(1);
    std::vector<at::Generator> generators;
    for (const auto seed : golden.option("generator_seeds", std::vector<std::uint64_t>()))
        generators.push_back(at::detail::createCPUGenerator(seed));
    const auto rows = golden.option("batch_size", static_cast<std::int64_t>(generators.size()));
    std::vector<std::int64_t> windows;
    for (const engine::SdeWindow& window : engine::drawnWindows(options, golden.config().at("num_timesteps"), rows, generators))
        windows.insert(windows.end(), {window.start, window.end});
    golden.check("windows", at::tensor(windows).view({-1, 2}));
}

/// The gradient is that of the sum of the results, weighted from -1 to 1.
void checkGuided(GoldenCase& golden, const at::Tensor& guided)
{
    golden.check("guided", guided);
    if (guided.requires_grad())
        golden.checkGradients((guided * at::linspace(-1, 1, guided.numel()).view(guided.sizes())).sum());
}

void runPlainGuidance(GoldenCase& golden)
{
    checkGuided(golden, engine::guided(golden.leaf("positive"), golden.leaf("negative"), {engine::Guidance::Classifier, golden.config().at("scale")}));
}

/// The case's tokens are vectors of channels. Each becomes a sample of 2 × 2 latents, of which three are 0.
void runRescaledGuidance(GoldenCase& golden)
{
    const auto asLatents = [](const at::Tensor& tokens) { return at::constant_pad_nd(tokens.reshape({-1, tokens.size(-1), 1, 1}), {0, 1, 0, 1}); };
    const at::Tensor guided = engine::guided(asLatents(golden.leaf("positive")), asLatents(golden.leaf("negative")),
        {engine::Guidance::ClassifierRescaled, golden.config().at("scale")});
    checkGuided(golden, guided.select(-1, 0).select(-1, 0).view(golden.input("positive").sizes()));
}

/// Combining predictions of the clean latents, x_0 = x - σ v, is combining the velocities.
void runCleanGuidance(GoldenCase& golden)
{
    golden.check("guided", engine::guided(golden.input("positive"), golden.input("negative"), {engine::Guidance::Classifier, golden.config().at("scale")}));
}

void runForwardNoising(GoldenCase& golden)
{
    const std::int64_t step = golden.config().at("step");
    const at::Tensor& clean = golden.input("latents_clean");
    const auto result = engine::noised(clean, golden.input("train_timesteps").select(1, step),
        engine::givenNoise(golden.input("forward_noise"), clean, step), 1000);
    golden.check("xt", result.noisy);
    golden.check("t_expanded", result.times);
}

/// The reference rounds the timesteps down. Ours does not.
void runChosenTimesteps(GoldenCase& golden)
{
    golden.check("selected", engine::chosenTimesteps(golden.input("train_timesteps"), golden.config().at("timestep_fraction"), golden.config().at("seed")).to(at::kLong));
}

void runStrata(GoldenCase& golden)
{
    engine::TimestepStrata strata {.strategy = engine::strataStrategy(golden.config().at("strategy").get<std::string>()),
        .count = golden.config().at("count"), .lowest = golden.config().at("range").at(0), .highest = golden.config().at("range").at(1),
        .shift = golden.option("shift", 1.0)};
    const auto permutation = golden.hasInput("permutation") ? valuesOf<std::int64_t>(golden.input("permutation")) : std::vector<std::int64_t>();
    const auto table = golden.hasInput("table") ? valuesOf<float>(golden.input("table")) : std::vector<float>();
    golden.check("timesteps", at::tensor(engine::stratifiedTimesteps(strata, valuesOf<float>(golden.input("uniforms")), permutation, table)));
}

void runDensity(GoldenCase& golden)
{
    const auto scheme = golden.config().at("weighting_scheme").get<std::string>();
    using Kind = engine::TimestepDensity::Kind;
    const Kind kind = scheme == "logit_normal" ? Kind::LogitNormal : scheme == "mode" ? Kind::Mode : Kind::Uniform;
    const at::Tensor u = engine::distributed({.kind = kind, .mean = golden.option("logit_mean", 0.0), .deviation = golden.option("logit_std", 1.0),
                                                 .modeScale = golden.option("mode_scale", 1.29)}, golden.input("base"));
    const engine::TrainingLevels levels = engine::trainingLevels(scheduleOf(golden));
    const at::Tensor indices = engine::levelIndices(u, static_cast<std::int64_t>(levels.timesteps.size()));
    golden.check("u", u);
    golden.check("index", indices);
    golden.check("timesteps", at::tensor(levels.timesteps).index_select(0, indices));
}

void checkPairs(GoldenCase& golden, const engine::NoisedPairs& pairs)
{
    golden.check("noisy_latents", pairs.noisy);
    golden.check("sigmas", pairs.sigmas);
    if (golden.hasOutput("noise"))
        golden.check("noise", pairs.noise);
    if (golden.hasOutput("timesteps"))
        golden.check("timesteps", pairs.timesteps);
}

void runPairs(GoldenCase& golden)
{
    checkPairs(golden, engine::noisedPairs(golden.input("latents"), golden.input("pair_noise"), engine::distributed({}, golden.input("base_normal")),
                           engine::trainingLevels(scheduleOf(golden))));
}

/// Against the table of a sampling run with "num_steps", else the one to train on.
void runGivenPairs(GoldenCase& golden)
{
    engine::TrainingLevels levels = engine::trainingLevels(scheduleOf(golden));
    if (golden.config().contains("num_steps")) {
        const engine::NoiseLevels sampling = levelsOf(golden);
        levels = {sampling.sigmas, sampling.timesteps};
    }
    checkPairs(golden, engine::noisedAsGiven(golden.input("latents"), golden.input("noise"), golden.input("timesteps"), levels.timesteps, levels.sigmas));
}

}  // namespace

GoldenOperations diffusionOperations()
{
    return {
        {"flow_match_set_timesteps", {"A-001 A-002 A-003 A-004 A-005 A-006", runTables}},
        {"adapter_schedule_packed", {"A-008 A-011", [](GoldenCase& golden) { runImageTables(golden, engine::Spacing::Sigmas, 2); }}},
        {"adapter_schedule_mmdit",
            {"A-009", [](GoldenCase& golden) { runImageTables(golden, engine::Spacing::Timesteps, golden.config().at("patch_size")); }}},
        {"adapter_schedule_video", {"A-010", runVideoTable}},
        {"adapter_schedule_unified", {"A-003", runUnifiedTable}},
        {"calculate_shift", {"A-007", runDynamicShift}},
        {"index_for_timestep", {"A-012", runIndices}},
        {"euler_trajectory", {"A-020", runEuler}},
        {"sde_step", {"A-021 A-022 A-023 A-024 A-025 A-026 A-027 A-028", runStochasticStep}},
        {"sde_rollout", {"A-021 A-022 A-023 A-024 A-025 A-026 A-028", runStochasticRollout}},
        {"sde_windows", {"A-040 A-041", runWindows}},
        {"cfg_plain", {"A-050 A-053", runPlainGuidance}},
        {"cfg_renormalised", {"A-051 A-053", runRescaledGuidance}},
        {"cfg_x0", {"A-050", runCleanGuidance}},
        {"timestep_density", {"A-060 A-062", runDensity}},
        {"dpo_noisy_latents", {"A-062 A-064 E-156", runPairs}},
        {"dpo_noisy_latents_given", {"A-063 A-064 E-156", runGivenPairs}},
        {"nft_select_timesteps", {"A-065", runChosenTimesteps}},
        {"nft_forward_noising", {"A-066 E-158", runForwardNoising}},
        {"timestep_strata", {"A-146", runStrata}},
    };
}

}  // namespace tests

// One rank of the rounds of Flow-GRPO that tests/peers/fsdp2_grpo.py runs, on our engine: the same weights, prompts and noise.
// Started like the peer, with torchrun's environment; rank 0 prints the same line of JSON. With --write FILE it runs nothing, writes
// the noise of all rounds there, and prints the prompts.
#include "engine/comm/rendezvous.h"
#include "engine/contract/formats/text.h"
#include "engine/data/epoch_sampler.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/models/dit/dit.h"
#include "engine/rounds/policy_rounds.h"
#include "engine/train/stopwatch.h"
#include "engine/train/trainer.h"
#include "tests/bench/peer_weights.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

namespace {

/// Prompts are the model's classes; the reward is near 1 for images whose mean is 0.4.
class BenchSource final : public engine::RolloutSource {
public:
    explicit BenchSource(const bench::Preset& preset)
        : m_preset(preset)
    {
    }
    std::int64_t prompts() const override { return m_preset.classes; }
    std::vector<std::int64_t> latentShape() const override { return {m_preset.channels, m_preset.image, m_preset.image}; }
    engine::NoiseLevels levels(std::int64_t steps) const override { return engine::noiseLevels({}, engine::Spacing::Sigmas, steps, 0); }
    engine::TrainingLevels trainingLevels() const override { return engine::trainingLevels({}); }
    engine::Conditions conditions(const std::vector<std::int64_t>& prompts) const override
    {
        engine::Conditions conditions;
        conditions.positive.labels = at::tensor(prompts, at::kLong);
        return conditions;
    }
    at::Tensor rewards(
        const at::Tensor& latents, const std::vector<std::uint64_t>& /*rows*/, const std::vector<std::int64_t>& /*prompts*/) override
    {
        engine::Stopwatch watch;
        const at::Tensor ink = ((latents.clamp(-1, 1) + 1) / 2).flatten(1).mean(1);
        at::Tensor rewards = (-((ink - 0.4) / 0.3).square()).exp();
        m_milliseconds += watch.lap();
        return rewards;
    }
    double takeMilliseconds() { return std::exchange(m_milliseconds, 0); }

private:
    bench::Preset m_preset;
    double m_milliseconds = 0;
};

/// Multiplications and additions, in 10⁹, that the matrix products of one sample's pass forward need; those of the first and the last
/// layer are left out.
double forwardGflop(const bench::Preset& preset)
{
    const double tokens = std::pow(static_cast<double>(preset.image) / static_cast<double>(preset.patch), 2);
    const auto width = static_cast<double>(preset.width);
    const double ofTokens = tokens * (24 * width * width + 4 * tokens * width), ofModulation = 12 * width * width;
    return static_cast<double>(preset.depth) * (ofTokens + ofModulation) / 1e9;
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.at(values.size() / 2);
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> options = {{"size", "tiny"}, {"dtype", "bf16"}, {"rounds", "4"}, {"prompts", "8"}, {"samples", "8"},
        {"micro", "16"}, {"steps", "10"}, {"updates", "2"}, {"eta", "0.7"}, {"clip", "1e-3"}, {"lr", "1e-5"}, {"seed", "0"}, {"write", ""},
        {"drop", "nothing"}};
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = std::string(argv[i]).substr(2);
        if (!options.contains(name)) {
            std::fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
        options[name] = argv[i + 1];
    }
    const auto number = [&](const char* name) { return contract::parseInteger(options[name]).value(); };
    const auto real = [&](const char* name) { return contract::parseReal(options[name]).value(); };
    const bench::Preset preset = bench::presets().at(options["size"]);
    const bench::Drop drop = options["drop"] == "block" ? bench::Drop::Block : bench::Drop::Nothing;
    const std::int64_t rowsOfRound = number("prompts") * number("samples");
    const auto seed = static_cast<std::uint64_t>(number("seed"));
    at::set_num_threads(1);
    BenchSource source(preset);

    if (!options["write"].empty()) {
        std::vector<std::uint64_t> rows(static_cast<std::size_t>(rowsOfRound));
        for (std::size_t row = 0; row < rows.size(); ++row)
            rows[row] = row;
        std::ofstream file(options["write"], std::ios::binary);
        const auto write = [&](const at::Tensor& noise) {
            file.write(static_cast<const char*>(noise.const_data_ptr()), static_cast<std::streamsize>(noise.nbytes()));
        };
        engine::EpochSampler order(source.prompts(), seed);
        std::vector<std::vector<std::int64_t>> prompts;
        for (std::int64_t round = 0; round < number("rounds"); ++round) {
            write(engine::normalRows(rows, source.latentShape(), seed, "rollout", static_cast<std::uint64_t>(round)));
            for (std::int64_t step = 0; step + 1 < number("steps"); ++step)
                write(engine::normalRows(rows, source.latentShape(), seed, "rollout step", static_cast<std::uint64_t>(round * number("steps") + step)));
            auto& of = prompts.emplace_back();
            for (std::int64_t i = 0; i < number("prompts"); ++i)
                of.push_back(order.index(round * number("prompts") + i));
        }
        std::printf("%s\n", nlohmann::json(prompts).dump().c_str());
        return file.flush() ? 0 : 1;
    }

    contract::Experiment experiment;
    experiment.set("optim.lr", real("lr"));
    experiment.set("optim.clip_norm", 1.0);
    experiment.set("ema.decay", 0.0);
    contract::PolicySettings settings;
    settings.rollout.prompts = number("prompts");
    settings.rollout.samplesPerPrompt = number("samples");
    settings.rollout.steps = number("steps");
    settings.rollout.noiseLevel = real("eta");
    settings.clip = real("clip");
    settings.miniBatches = number("updates");

    const engine::RankIdentity identity = engine::rankFromEnvironment();
    const auto mesh = engine::joinRanks(identity, {.world = identity.worldSize, .shard = identity.worldSize}, nullptr,
        {engine::Exchange::Automatic, std::chrono::seconds(60)});
    const engine::Dit model({preset.image, preset.channels, preset.classes, preset.patch, preset.width,
        drop == bench::Drop::Block ? preset.depth - 1 : preset.depth, preset.heads, {}});
    engine::BufferPool pool(mesh->shard(), c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(model.units(), mesh->shard(), pool,
        {.computeDtype = options["dtype"] == "bf16" ? at::kBFloat16 : at::kFloat, .keepsAverage = false},
        {.reshardAfterForward = false, .reducesEachPass = false}, std::nullopt);
    bench::initialise(units, static_cast<std::uint32_t>(seed), drop);
    engine::PolicyRounds rounds(settings, model, units, source, mesh->data(), pool.device(), number("micro"), seed,
        {[](const std::string&) { }, [](const std::string&) { }, [] { return false; }});
    engine::Trainer trainer(experiment, units, *mesh, pool.device());
    const engine::LossFunction loss = rounds.loss();

    std::vector<double> times, rollouts, scores, updates, rewards, norms;
    for (std::int64_t round = 0; round < number("rounds"); ++round) {
        engine::Stopwatch watch;
        rewards.push_back(rounds.startRound(trainer.progress().step).value().at("critic/rewards/mean"));
        const double start = watch.lap();
        for (std::int64_t update = 0; update < number("updates"); ++update) {
            norms.push_back(trainer.step(rounds, loss, {}).gradNorm);
            rounds.takeMetrics();
        }
        const double training = watch.lap(), scoring = source.takeMilliseconds();
        if (round == 0)
            continue;
        times.push_back(start + training);
        rollouts.push_back(start - scoring);
        scores.push_back(scoring);
        updates.push_back(training);
    }
    if (identity.rank == 0) {
        const nlohmann::json line = {{"round_ms", median(times)}, {"rollout_ms", median(rollouts)}, {"reward_ms", median(scores)},
            {"update_ms", median(updates)}, {"rewards", rewards}, {"norms", norms},
            // Forward in each step of a rollout; forward and backward, which has two products for one, in each but the last that trains.
            {"gflop", static_cast<double>(rowsOfRound) / identity.worldSize * forwardGflop(preset)
                    * static_cast<double>(number("steps") + 3 * (number("steps") - 1))}};
        std::printf("%s\n", line.dump().c_str());
    }
    mesh->world().barrier("at the end");
    return 0;
}

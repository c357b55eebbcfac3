// One rank of the training that tests/peers/fsdp2_dit.py runs, on our engine: the same weights, data and noise.
// Started like the peer, with torchrun's environment; rank 0 prints the same line of JSON.
#include "engine/comm/rendezvous.h"
#include "engine/contract/formats/text.h"
#include "engine/models/dit/dit.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "engine/worker/profile.h"
#include "tests/bench/peer_weights.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>

namespace {

using bench::Drop;
using bench::Preset;

/// Seconds since the kernel started this process.
double processAge()
{
    std::ifstream stat("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int i = 0; i < 20; ++i)
        fields >> field;
    double uptime = 0;
    std::ifstream("/proc/uptime") >> uptime;
    return uptime - std::stod(field) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double processorSeconds()
{
    timespec spent {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

at::Generator seeded(std::int64_t seed)
{
    return at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(seed));
}

/// The peer's draws: image, label, time, noise, from one generator per step and rank.
class PeerBatches final : public engine::BatchSource {
public:
    PeerBatches(const Preset& preset, std::int64_t seed)
        : m_preset(preset)
        , m_seed(seed)
    {
    }
    std::int64_t microBatch() const override { return m_preset.batch; }
    engine::FlowBatch batch(const engine::BatchPosition& place) override
    {
        at::Generator random = seeded(1000003 * (m_seed + 1) + 1009 * place.step + place.rank);
        const std::vector<std::int64_t> shape = {m_preset.batch, m_preset.channels, m_preset.image, m_preset.image};
        const at::Tensor x = at::randn(shape, random, at::kFloat);
        const at::Tensor labels = at::randint(m_preset.classes, {m_preset.batch}, random, at::kLong);
        const at::Tensor t = at::rand({m_preset.batch}, random, at::kFloat);
        const at::Tensor noise = at::randn(shape, random, at::kFloat);
        return {at::lerp(x, noise, t.view({-1, 1, 1, 1})), noise - x, t, labels};
    }

private:
    Preset m_preset;
    std::int64_t m_seed;
};

/// Makes the attention of every block contribute nothing to the next forward.
void zeroAttention(engine::UnitSequence& units)
{
    for (std::size_t i = 1; i < units.size(); ++i) {
        for (const engine::LayoutPiece& piece : units[i].pieces()) {
            if (units[i].spec().parameters[piece.tensor].name.find(".proj.") != std::string::npos)
                units[i].master.narrow(0, piece.shardBegin, piece.count).zero_();
        }
        units[i].reshard();
        units[i].masterReplaced();
    }
}

/// Of this rank's optimizer states.
double stateBytesPerParameter(engine::UnitSequence& units)
{
    double bytes = 0, parameters = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        for (const engine::ShardState& state : units[i].optimizerStates)
            bytes += static_cast<double>(state.values.nbytes());
        for (const engine::LayoutPiece& piece : units[i].pieces())
            parameters += static_cast<double>(piece.count);
    }
    return bytes / parameters;
}

double quantile(std::vector<double> values, double part)
{
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> options = {{"size", "tiny"}, {"steps", "30"}, {"warmup", "3"},
        {"dtype", "bf16"}, {"reduce", "fp32"}, {"threads", "1"}, {"seed", "0"}, {"losses", "10"},
        {"reshard", "true"}, {"exchange", "auto"}, {"optimizer", "adamw"}, {"device", "cpu"}, {"profile", ""}, {"lr", "1e-4"}, {"drop", "nothing"}};
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = std::string(argv[i]).substr(2);
        if (!options.contains(name)) {
            std::fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
        options[name] = argv[i + 1];
    }
    const auto number = [&](const char* name) { return contract::parseInteger(options[name]).value(); };
    const Preset preset = bench::presets().at(options["size"]);
    const std::map<std::string, Drop> drops = {{"nothing", Drop::Nothing}, {"block", Drop::Block}, {"attention", Drop::Attention}};
    const Drop drop = drops.at(options["drop"]);
    engine::Accelerator* const gpu = options["device"] == "cuda" ? &engine::loadAccelerator() : nullptr;
    if (gpu)
        gpu->setDevice(0);
    at::set_num_threads(static_cast<int>(number("threads")));

    contract::Experiment experiment;
    if (const auto problem = experiment.set("optim.kind", options["optimizer"])) {
        std::fprintf(stderr, "%s\n", problem->message.c_str());
        return 2;
    }
    experiment.set("optim.lr", contract::parseReal(options["lr"]).value());
    experiment.set("optim.clip_norm", 1.0);
    experiment.set("ema.decay", 0.0);
    const engine::RankIdentity identity = engine::rankFromEnvironment();
    const auto mesh = engine::joinRanks(identity, {.world = identity.worldSize, .shard = identity.worldSize}, gpu,
        {options["exchange"] == "gloo" ? engine::Exchange::Gloo : engine::Exchange::Automatic, std::chrono::seconds(60)});
    const engine::Dit model({preset.image, preset.channels, preset.classes, preset.patch, preset.width,
        drop == Drop::Block ? preset.depth - 1 : preset.depth, preset.heads, {}});
    engine::BufferPool pool(mesh->shard(), gpu ? c10::Device(c10::DeviceType::CUDA, 0) : c10::Device(c10::DeviceType::CPU));
    const auto dtype = [&](const char* name) { return options[name] == "bf16" ? at::kBFloat16 : at::kFloat; };
    engine::UnitSequence units(model.units(), mesh->shard(), pool,
        {.computeDtype = dtype("dtype"), .reduceDtype = dtype("reduce"), .keepsAverage = false, .stateBlock = engine::stateBlockOf(experiment)},
        {.reshardAfterForward = options["reshard"] == "true"}, std::nullopt);
    bench::initialise(units, static_cast<std::uint32_t>(number("seed")), drop);
    PeerBatches batches(preset, number("seed"));
    engine::FlowSteps flow(model, batches, 1, mesh->data(), pool.device());
    const engine::LossFunction loss = flow.loss();
    engine::Trainer trainer(experiment, units, *mesh, pool.device());

    std::vector<double> losses, norms, times;
    engine::StepTimes phases;
    const auto step = [&] {
        if (drop == Drop::Attention)
            zeroAttention(units);
        const engine::StepReport report = trainer.step(flow, loss, {});
        losses.push_back(report.loss);
        norms.push_back(report.gradNorm);
        phases.data += report.times.data;
        phases.forward += report.times.forward;
        phases.backward += report.times.backward;
        phases.communication += report.times.communication;
        phases.optimizer += report.times.optimizer;
        return report.times.step;
    };
    double first = 0;
    for (std::int64_t i = 0; i < number("warmup"); ++i) {
        step();
        if (i == 0)
            first = processAge();
    }
    phases = {};
    mesh->world().barrier("before measuring");
    const double before = processorSeconds();
    const std::int64_t steps = number("steps");
    for (std::int64_t i = 0; i < steps; ++i)
        times.push_back(step());
    const auto count = static_cast<double>(steps);
    const double cpu = (processorSeconds() - before) / count;
    if (!options["profile"].empty()) {
        constexpr std::int64_t kProfiled = 3;
        engine::StepProfile profile(contract::StepRange {1, kProfiled}, options["profile"], 1, identity.rank, gpu != nullptr);
        for (std::int64_t i = 1; i <= kProfiled; ++i) {
            profile.begin(i);
            step();
            profile.end(i);
        }
    }
    losses.resize(std::min(losses.size(), static_cast<std::size_t>(number("losses"))));
    norms.resize(losses.size());
    if (identity.rank == 0) {
        const nlohmann::json line = {{"program", "atelier"}, {"size", options["size"]}, {"dtype", options["dtype"]},
            {"world", identity.worldSize}, {"first_step_s", first}, {"median_ms", quantile(times, 0.5)},
            {"p10_ms", quantile(times, 0.1)}, {"min_ms", quantile(times, 0)}, {"cpu_ms", cpu * 1e3},
            {"gpu_peak_mib", gpu ? static_cast<double>(gpu->memory().peakBytes) / (1 << 20) : 0},
            {"state_bytes_per_parameter", stateBytesPerParameter(units)},
            {"phase_ms", {{"data", phases.data / count}, {"forward", phases.forward / count},
                {"backward", phases.backward / count}, {"communication", phases.communication / count},
                {"optimizer", phases.optimizer / count}}},
            {"losses", losses}, {"norms", norms}};
        std::printf("%s\n", line.dump().c_str());
    }
    mesh->world().barrier("at the end");
    return 0;
}

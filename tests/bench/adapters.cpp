// What training an adapter costs beside training the whole model: a transformer of Stable Diffusion 3's width in bfloat16,
// on two CPU ranks of one thread.
#include "engine/contract/formats/json_config.h"
#include "engine/lora/adapters.h"
#include "engine/models/registry.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "tests/bench/figures.h"
#include "tests/engine/comm/forked_ranks.h"

#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <sys/resource.h>
#include <unistd.h>

#include <iostream>
#include <optional>

namespace {

constexpr int kRanks = 2;
constexpr char kConfig[] = R"({"_class_name": "SD3Transformer2DModel", "sample_size": 32, "patch_size": 2, "in_channels": 16,
    "num_layers": 6, "attention_head_dim": 64, "num_attention_heads": 24, "joint_attention_dim": 1024,
    "caption_projection_dim": 1536, "pooled_projection_dim": 512, "out_channels": 16, "pos_embed_max_size": 64,
    "dual_attention_layers": [], "qk_norm": "rms_norm"})";

class RandomBatches final : public engine::BatchSource {
public:
    std::int64_t microBatch() const override { return 1; }
    engine::FlowBatch batch(const engine::BatchPosition&) override
    {
        engine::FlowBatch batch;
        batch.noisy = at::randn({1, 16, 32, 32});
        batch.target = at::randn({1, 16, 32, 32});
        batch.sigmas = at::rand({1});
        batch.prompt = at::randn({1, 77, 1024});
        batch.pooled = at::randn({1, 512});
        return batch;
    }
};

struct Measured {
    double stepMs = 0, communicationMs = 0, peakMiB = 0;
};

Measured train(engine::Mesh& mesh, bool isAdapted)
{
    constexpr int kWarmUp = 2, kSteps = 7;
    const auto model = engine::buildTransformer(contract::JsonConfig("the bench", kConfig));
    auto specs = model->units();
    std::vector<engine::AdapterLayer> layers;
    for (const std::string& module : engine::linearModules(specs))
        layers.push_back({module, 16, 1});
    if (isAdapted)
        engine::declareAdapters(specs, layers, {"default"});
    engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(std::move(specs), mesh.shard(), pool, {.computeDtype = at::kBFloat16, .storesFrozen = false}, {}, 7);
    std::optional<engine::Adapters> adapters;
    if (isAdapted)
        adapters.emplace(units, layers, std::vector<std::string> {"default"});
    RandomBatches batches;
    engine::FlowSteps flow(*model, batches, 1, mesh.data(), pool.device());
    engine::Trainer trainer(contract::Experiment(), units, mesh, pool.device());
    std::vector<double> steps, waits;
    for (int i = 0; i < kWarmUp + kSteps; ++i) {
        const engine::StepTimes times = trainer.step(flow, flow.loss(), {}).times;
        if (i >= kWarmUp) {
            steps.push_back(times.step);
            waits.push_back(times.communication);
        }
    }
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return {bench::quantile(steps, 0.5), bench::quantile(waits, 0.5), static_cast<double>(usage.ru_maxrss) / 1024};
}

/// Of rank 0, from processes of their own.
std::optional<Measured> measure(bool isAdapted)
{
    int ends[2] = {};
    if (::pipe(ends) != 0)
        return std::nullopt;
    const auto codes = tests::runRanks({.world = kRanks, .shard = kRanks}, engine::Exchange::Automatic,
        [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const Measured own = train(mesh, isAdapted);
            return mesh.world().rank() != 0 || ::write(ends[1], &own, sizeof own) == sizeof own;
        },
        std::chrono::seconds(120));
    ::close(ends[1]);
    Measured measured;
    const bool isRead = ::read(ends[0], &measured, sizeof measured) == sizeof measured;
    ::close(ends[0]);
    return isRead && codes == std::vector<int>(kRanks, 0) ? std::optional(measured) : std::nullopt;
}

}  // namespace

int main()
{
    const auto whole = measure(false), adapter = measure(true);
    if (!whole || !adapter)
        return 1;
    nlohmann::json rows = nlohmann::json::array();
    const auto add = [&](const char* figure, const char* unit, double Measured::*value) {
        rows.push_back(bench::row("engine", "sd3 width 1536, adapter of rank 16", figure, unit, {(*adapter).*value},
            bench::Better::Lower, {(*whole).*value, "all of it"}));
    };
    add("step", "ms", &Measured::stepMs);
    add("communication", "ms", &Measured::communicationMs);
    add("memory", "MiB", &Measured::peakMiB);
    std::cout << nlohmann::json {{"rows", rows}}.dump() << "\n";
}

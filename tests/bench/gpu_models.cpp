// Training steps of Stable Diffusion 3.5 medium's transformer (2.5 billion parameters, random weights) on one GPU: time, share of the peak, memory.
// Without a GPU there are no rows.
#include <ATen/ATen.h>

#include "engine/comm/accelerator.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/lora/adapters.h"
#include "engine/models/registry.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "engine/worker/profile.h"
#include "engine/worker/throughput.h"
#include "tests/bench/figures.h"
#include "tests/bench/gpu_cases.h"

#include <cstdio>
#include <cstring>
#include <iostream>

namespace {

using Json = nlohmann::json;

constexpr int kWarmup = 4, kSteps = 10;
constexpr std::int64_t kPromptTokens = 333, kPromptWidth = 4096, kPooledWidth = 2048, kChannels = 16;

/// Of https://huggingface.co/stabilityai/stable-diffusion-3.5-medium, transformer/config.json.
const char* const kConfig = R"({"_class_name": "SD3Transformer2DModel", "attention_head_dim": 64, "caption_projection_dim": 1536,
    "dual_attention_layers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "in_channels": 16, "joint_attention_dim": 4096, "num_attention_heads": 24,
    "num_layers": 24, "out_channels": 16, "patch_size": 2, "pooled_projection_dim": 2048, "pos_embed_max_size": 384, "qk_norm": "rms_norm",
    "sample_size": 128})";

class RandomBatches final : public engine::BatchSource {
public:
    RandomBatches(std::int64_t rows, std::int64_t side)
        : m_rows(rows)
        , m_noisy(at::randn({rows, kChannels, side, side}))
        , m_target(at::randn({rows, kChannels, side, side}))
        , m_prompt(at::randn({rows, kPromptTokens, kPromptWidth}))
        , m_pooled(at::randn({rows, kPooledWidth}))
    {
    }
    std::int64_t microBatch() const override { return m_rows; }
    engine::FlowBatch batch(const engine::BatchPosition&) override
    {
        engine::FlowBatch batch;
        batch.noisy = m_noisy;
        batch.target = m_target;
        batch.sigmas = at::full({m_rows}, 0.5, at::kFloat);
        batch.prompt = m_prompt;
        batch.pooled = m_pooled;
        return batch;
    }

private:
    std::int64_t m_rows;
    at::Tensor m_noisy, m_target, m_prompt, m_pooled;
};

struct Case {
    const char* name;
    std::int64_t rows, side;  ///< samples of a step; of their latents
    bool isAdapter;
    bool recomputes;
};

void measure(engine::Accelerator& gpu, const Case& what, const std::string& profileTo, Json& rows)
{
    const c10::Device device(c10::DeviceType::CUDA, 0);
    engine::Mesh mesh({}, std::make_unique<engine::LoneGroup>());
    engine::BufferPool pool(mesh.shard(), device);
    const auto model = engine::buildTransformer(contract::JsonConfig("config.json", kConfig));
    auto specs = model->units();
    std::vector<engine::AdapterLayer> layers;
    if (what.isAdapter) {
        for (const std::string& module : engine::linearModules(specs)) {
            for (const char* part : {".to_q", ".to_k", ".to_v", ".to_out.0"}) {
                if (module.ends_with(part))
                    layers.push_back({module, 32, 1});
            }
        }
        engine::declareAdapters(specs, layers, {"default"});
    }
    engine::UnitSequence units(std::move(specs), mesh.shard(), pool, {.computeDtype = at::kBFloat16, .keepsAverage = false, .storesFrozen = !what.isAdapter},
        {.reshardAfterForward = false, .recompute = *contract::UnitSelection::parse(what.recomputes ? "all" : "none")}, std::nullopt);
    double parameters = 0;
    for (engine::Unit* unit : units.parts()) {
        unit->master.normal_(0, 0.02);
        unit->masterReplaced();
        parameters += static_cast<double>(unit->master.numel());
    }
    std::unique_ptr<engine::Adapters> adapters;
    if (what.isAdapter)
        adapters = std::make_unique<engine::Adapters>(units, layers, std::vector<std::string> {"default"});
    RandomBatches batches(what.rows, what.side);
    contract::Experiment experiment;
    experiment.set("optim.lr", 1e-6);
    engine::FlowSteps steps(*model, batches, 1, mesh.data(), device);
    engine::Trainer trainer(experiment, units, mesh, device);
    engine::StepProfile profile(contract::StepRange {kWarmup + kSteps + 1, kWarmup + kSteps + 3}, profileTo, 1, 0, true);
    std::vector<double> times, shares;
    for (int i = 1; i <= kWarmup + kSteps + (profileTo.empty() ? 0 : 3); ++i) {
        if (!profileTo.empty())
            profile.begin(i);
        const engine::StepReport report = trainer.step(steps, steps.loss(), {});
        if (!profileTo.empty())
            profile.end(i);
        if (i <= kWarmup || i > kWarmup + kSteps)
            continue;
        times.push_back(report.times.step);
        const double flops = report.forwardFlops * (what.isAdapter ? 2 : 3);  // of an adapter, no gradients of frozen weights
        shares.push_back(flops / report.times.step * 1e-9 / engine::peakTeraflops(gpu.deviceName(), "bf16") * 100);
    }
    const double memory = static_cast<double>(gpu.memory().peakBytes) / (1 << 20);
    std::fprintf(stderr, "  %-28s %.2f billion parameters, step %.1f ms, %.1f %% of the peak, %.0f MiB\n", what.name, parameters * 1e-9,
        bench::quantile(times, 0.5), bench::quantile(shares, 0.5), memory);
    rows.push_back(bench::row("engine", what.name, "step", "ms", times, bench::Better::Lower, {0, "none"}));
    rows.push_back(bench::row("engine", what.name, "MFU", "%", shares, bench::Better::Higher, {50, "limit"}));
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string profileTo = argc > 2 && std::strcmp(argv[1], "--profile") == 0 ? argv[2] : "";
    try {
        Json rows = Json::array();
        if (bench::hasGpu()) {
            engine::Accelerator& gpu = engine::loadAccelerator();
            gpu.setDevice(0);
            for (const Case& each : {Case {"sd35-medium-512", 8, 64, false, false}, Case {"sd35-medium-1024", 4, 128, false, false},
                     Case {"sd35-medium-1024-lora", 4, 128, true, false}}) {
                measure(gpu, each, profileTo.empty() ? "" : profileTo + "/" + each.name, rows);
                gpu.emptyCache();
            }
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

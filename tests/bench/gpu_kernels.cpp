// Our kernels for GPUs beside LibTorch's operators that they replace: bytes that must be moved, by the time that it takes. Without a GPU there are
// no rows. Results must agree, or nothing is reported.
#include <ATen/ATen.h>

#include "engine/comm/accelerator.h"
#include "engine/kernels/gpu_head_kernels.h"
#include "engine/kernels/gpu_layer_kernels.h"
#include "engine/optim/adamw_gpu.h"
#include "tests/bench/figures.h"
#include "tests/bench/gpu_cases.h"

#include <ATen/ops/_fused_adamw.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <stdexcept>

namespace {

using Json = nlohmann::json;

constexpr int kWarmup = 3, kRepeats = 20, kRounds = 5;

class Contest {
public:
    explicit Contest(engine::Accelerator& gpu)
        : m_gpu(gpu)
    {
    }

    /// @param bytes that both must read and write @param result what @p ours or @p theirs has written
    void row(const char* name, double bytes, const std::function<bool()>& ours, const std::function<void()>& theirs, const at::Tensor& result)
    {
        if (!ours())
            throw std::runtime_error(std::string(name) + ": there is no kernel");
        const at::Tensor first = result.to(at::kFloat).clone();
        theirs();
        const double error = (result.to(at::kFloat) - first).abs().max().item<double>() / (first.abs().max().item<double>() + 1e-6);
        if (!(error < 0.02))
            throw std::runtime_error(std::string(name) + ": the results differ by " + std::to_string(error));
        std::vector<double> mine, peer;
        for (int round = 0; round < kRounds; ++round) {
            mine.push_back(bytes / seconds([&] { ours(); }) * 1e-9);
            peer.push_back(bytes / seconds(theirs) * 1e-9);
        }
        rows.push_back(bench::row("engine", name, "bandwidth", "GB/s", mine, bench::Better::Higher, {bench::quantile(peer, 0.5), "LibTorch"}));
        std::fprintf(stderr, "  %-34s ours %6.0f GB/s, LibTorch %6.0f GB/s\n", name, bench::quantile(mine, 0.5), bench::quantile(peer, 0.5));
    }

    Json rows = Json::array();

private:
    double seconds(const std::function<void()>& run)
    {
        for (int i = 0; i < kWarmup; ++i)
            run();
        m_gpu.synchronize();
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kRepeats; ++i)
            run();
        m_gpu.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kRepeats;
    }

    engine::Accelerator& m_gpu;
};

void measure(Contest& contest)
{
    const c10::Device device(c10::DeviceType::CUDA, 0);
    const auto options = at::TensorOptions(device).dtype(at::kBFloat16);
    const std::int64_t samples = 16, tokens = 4096, width = 1536, heads = 24, size = 64;
    const double row = static_cast<double>(samples * tokens * width) * 2;
    engine::Arena arena(device);
    const auto random = [&](at::IntArrayRef shape) { return at::randn(shape, options); };
    const at::Tensor x = random({samples, tokens, width}), h = random(x.sizes()), out = at::empty_like(x);
    const at::Tensor shift = random({samples, width}), scale = random({samples, width}), dShift = at::zeros_like(shift), dScale = at::zeros_like(scale);
    const engine::NormStatistics kept {at::empty({samples * tokens}, device), at::empty({samples * tokens}, device)};
    namespace gpu = engine::gpu;
    namespace reference = engine::reference;

    contest.row("norm", 2 * row, [&] { return gpu::modulatedNorm(x, shift, scale, out, kept, {}); },
        [&] { reference::modulatedNorm(x, shift, scale, out, kept, {}); }, out);
    contest.row("norm, backward", 3 * row,
        [&] { return gpu::modulatedNormBackward(h, x, scale, kept, out, false, dShift, dScale, arena, {}); },
        [&] { reference::modulatedNormBackward(h, x, scale, kept, out, false, dShift, dScale, {}); }, out);
    contest.row("gate", 3 * row, [&] { return gpu::gatedAdd(x, scale, h, out); }, [&] { reference::gatedAdd(x, scale, h, out); }, out);
    contest.row("gate, backward", 3 * row, [&] { return gpu::gatedAddBackward(x, scale, h, out, dScale, arena); },
        [&] { reference::gatedAddBackward(x, scale, h, out, dScale); }, out);
    contest.row("gelu", 2 * row, [&] { return gpu::gelu(x, out); }, [&] { reference::gelu(x, out); }, out);
    contest.row("column sums", row, [&] { return gpu::columnSums(x.flatten(0, 1), dShift[0], false, arena); },
        [&] { reference::columnSums(x.flatten(0, 1), dShift[0], false); }, dShift[0]);
    const at::Tensor joined = random({samples, tokens, 3, heads, size}).select(2, 0), split = at::empty({samples, heads, tokens, size}, options),
                     dJoined = at::empty_like(joined), weight = random({size}), dWeight = at::zeros_like(weight);
    const engine::HeadTransform form {.weight = weight,
        .rotary = engine::rotaryTable(at::randn({tokens, size / 2}, device), at::randn({tokens, size / 2}, device))};
    contest.row("heads", 2 * row, [&] { return gpu::splitHeads(joined, split, form); }, [&] { reference::splitHeads(joined, split, form); }, split);
    contest.row("heads, backward", 3 * row, [&] { return gpu::splitHeadsBackward(split, joined, dJoined, false, form, dWeight, arena); },
        [&] { reference::splitHeadsBackward(split, joined, dJoined, false, form, dWeight); }, dJoined);

    const std::int64_t count = std::int64_t {1} << 26;
    at::Tensor weights = at::randn({count}, device), moments1 = at::zeros({count}, device), moments2 = at::zeros({count}, device),
               gradients = at::randn({count}, device), copy = at::empty({count}, options);
    const engine::AdamWCoefficients c({.weightDecay = 0.01}, {.lr = 1e-5, .gradScale = 1, .emaDecay = 0, .count = 1}, true);
    const auto scalar = [&](double value) { return at::full({}, value, device); };
    const at::Tensor step = scalar(1);
    // Each side goes on from where the other has left the moments: the bytes are the same, the weights nearly.
    contest.row("AdamW and the copy in bfloat16", 30.0 * static_cast<double>(count),
        [&] {
            return engine::updateAdamWOnGpu({weights.data_ptr<float>(), nullptr, moments1.data_ptr<float>(), moments2.data_ptr<float>(),
                                                gradients.data_ptr<float>(), copy.data_ptr(), at::kBFloat16},
                count, c);
        },
        [&] {
            at::_fused_adamw_({weights}, {gradients}, {moments1}, {moments2}, {}, {step}, 1e-5, 0.9, 0.999, 0.01, 1e-8, false, false);
            copy.copy_(weights);
        },
        copy);
}

}  // namespace

int main()
{
    try {
        Json rows = Json::array();
        if (bench::hasGpu()) {
            engine::Accelerator& gpu = engine::loadAccelerator();
            gpu.setDevice(0);
            Contest contest(gpu);
            measure(contest);
            rows = contest.rows;
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

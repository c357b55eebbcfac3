#include "engine/nn/attention/measured_attention.h"

#include "engine/comm/moment.h"
#include "engine/nn/attention/streamed_attention.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

namespace engine {
namespace {

constexpr int kWarmup = 2, kRepeats = 3;

struct Remembered {
    std::mutex mutex;
    std::map<AttentionSizes, AttentionKernel> kernels;
    std::vector<std::string> sentences;
};

Remembered& remembered()
{
    static Remembered all;
    return all;
}

/// Of one forward, and one backward where the sizes ask for it. @return nullopt where the kernel refuses the sizes
std::optional<double> milliseconds(AttentionKernel kernel, const AttentionSizes& sizes, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)
try {
    const double scale = 1 / std::sqrt(static_cast<double>(sizes.headSize));
    const auto run = [&] {
        const StreamedAttention result = attendStreamed(q, k, v, scale, sizes.trains ? LogSums::Computed : LogSums::None, {}, kernel);
        if (sizes.trains)
            streamedBackward(result.mixed, q, k, v, result, scale, {}, kernel);
        return result.mixed;
    };
    for (int i = 0; i < kWarmup; ++i)
        run();
    const Moment begin = Moment::on(q.device().type());
    at::Tensor last;
    for (int i = 0; i < kRepeats; ++i)
        last = run();
    const Moment end = Moment::on(q.device().type());
    last.flatten()[0].to(at::kCPU);  // waits
    return end.since(begin) / kRepeats;
} catch (const c10::Error&) {
    return std::nullopt;
}

/// Numbers in [-1, 1] that no random generator has to draw.
at::Tensor numbers(const AttentionSizes& sizes, std::int64_t tokens, c10::Device device)
{
    const std::vector<std::int64_t> shape = {sizes.batch, sizes.heads, tokens, sizes.headSize};
    return at::arange(c10::multiply_integers(shape), at::TensorOptions(device).dtype(at::kFloat)).sin_().to(sizes.dtype).view(shape);
}

AttentionKernel measured(const AttentionSizes& sizes, c10::Device device, std::string& sentence)
try {
    const c10::InferenceMode noAutograd;
    const at::Tensor q = numbers(sizes, sizes.queries, device), k = numbers(sizes, sizes.keys, device), v = numbers(sizes, sizes.keys, device);
    AttentionKernel fastest = AttentionKernel::Efficient;
    double least = std::numeric_limits<double>::infinity();
    for (const AttentionKernel kernel : {AttentionKernel::Efficient, AttentionKernel::Flash}) {  // Cudnn's results have not been compared on a GPU
        if (!obstacleTo(kernel, {device.type(), sizes.dtype, sizes.headSize, sizes.keys, false}).empty())
            continue;
        const auto taken = milliseconds(kernel, sizes, q, k, v);
        if (!taken)
            continue;
        char text[64];
        std::snprintf(text, sizeof text, ", %s %.3g ms", nameOf(kernel), *taken);
        sentence += text;
        if (*taken < least) {
            least = *taken;
            fastest = kernel;
        }
    }
    sentence += std::string(": uses ") + nameOf(fastest);
    return fastest;
} catch (const c10::OutOfMemoryError&) {
    sentence += ": no memory to measure, uses efficient";
    return AttentionKernel::Efficient;
}

}  // namespace

AttentionKernel fastestKernel(const AttentionSizes& sizes, c10::Device device)
{
    if (at::globalContext().deterministicAlgorithms())
        return AttentionKernel::Efficient;
    Remembered& all = remembered();
    const std::lock_guard lock(all.mutex);
    const auto found = all.kernels.find(sizes);
    if (found != all.kernels.end())
        return found->second;
    std::string sentence = "attention of " + std::to_string(sizes.batch) + " x " + std::to_string(sizes.heads) + " heads of "
        + std::to_string(sizes.headSize) + " elements, " + std::to_string(sizes.queries) + " x " + std::to_string(sizes.keys) + " tokens"
        + (sizes.trains ? ", with backward" : "");
    const AttentionKernel kernel = measured(sizes, device, sentence);
    all.sentences.push_back(sentence);
    return all.kernels[sizes] = kernel;
}

std::vector<std::string> takeMeasuredAttention()
{
    const std::lock_guard lock(remembered().mutex);
    return std::exchange(remembered().sentences, {});
}

}  // namespace engine

#include "engine/plan/encoding_trial.h"

#include "engine/comm/available_memory.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/tasks/engine_options.h"

#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>
#include <string>

namespace engine {
namespace {

constexpr std::int64_t kSmallEncoders = 200'000'000;  // bytes of text encoders that are read in a moment

/// Counts the tensors that this thread has while it lives.
class TensorBytes final : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        m_bytes += bytes;
        m_peak = std::max(m_peak, m_bytes);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::int64_t peak() const { return m_peak; }

private:
    std::int64_t m_bytes = 0, m_peak = 0;
};

/// Bytes of the weights in @p component's files, in @p dtype.
std::int64_t weightBytes(const contract::ModelFolder& folder, const std::string& component, at::ScalarType dtype)
{
    std::int64_t elements = 0;
    const contract::SafetensorsSet set(folder.component(component));
    for (const auto& [name, item] : set.items())
        elements += static_cast<std::int64_t>(item.tensor->elements());
    return elements * static_cast<std::int64_t>(c10::elementSize(dtype));
}

std::int64_t bytesOfImage(DiffusionPipeline& pipeline, std::int64_t side, std::int64_t frames, bool hasSmallEncoders)
{
    pipeline.release();
    const auto counter = std::make_shared<TensorBytes>();
    const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, counter);
    const auto shape = pipeline.traits().isVideo() ? std::vector<std::int64_t> {1, 3, frames, side, side} : std::vector<std::int64_t> {1, 3, side, side};
    pipeline.encode(at::zeros(shape));
    if (hasSmallEncoders)
        pipeline.features(std::vector<std::string>(PromptEncoder::kBatch));
    pipeline.release();
    return counter->peak();
}

std::int64_t bytesOfImages(const contract::Experiment& experiment, DiffusionPipeline& pipeline, bool hasSmallEncoders)
{
    constexpr std::int64_t kFewSteps = 4;  // of sizeStep(): 64 pixels for most models
    const std::int64_t side = experiment.integer("data.resolution");
    // Videos go through the autoencoder a few frames at a time.
    const std::int64_t frames = std::min(pipeline.framesWithin(experiment.integer("data.frames")), 1 + 2 * pipeline.temporalFactor());
    const std::int64_t few = kFewSteps * pipeline.sizeStep(), more = 2 * few;
    if (side <= more)
        return bytesOfImage(pipeline, side, frames, hasSmallEncoders);
    const std::int64_t bytesOfFew = bytesOfImage(pipeline, few, frames, hasSmallEncoders), bytesOfMore = bytesOfImage(pipeline, more, frames, hasSmallEncoders);
    const std::int64_t pixels = std::min(side * side, DiffusionPipeline::kMaxPixels);
    return bytesOfMore
        + static_cast<std::int64_t>(static_cast<double>(bytesOfMore - bytesOfFew) / static_cast<double>(more * more - few * few) * static_cast<double>(pixels - more * more));
}

}  // namespace

std::int64_t encodingBytes(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus)
{
    if (!planned.pipeline)
        return 0;
    const contract::ModelFolder folder(experiment.text("model.folder"));
    if (folder.has("vae") && weightBytes(folder, "vae", at::kFloat) > availableBytes(c10::kCPU) / 4)
        return 0;
    std::int64_t prompts = 0;
    for (const auto& [name, component] : folder.components()) {
        if (name.starts_with("text_encoder"))
            prompts += weightBytes(folder, name, dtypeOf(experiment.text("engine.compute_dtype")));
    }
    const std::int64_t images = bytesOfImages(experiment, *planned.pipeline, prompts <= kSmallEncoders), ranks = experiment.integer("launch.ranks");
    if (!isOnGpus || ranks == 1)
        return images;
    return std::max(images, prompts / ranks + (folder.has("vae") ? weightBytes(folder, "vae", at::kFloat) : 0));
}

}  // namespace engine

#include "engine/plan/encoding_trial.h"

#include "engine/comm/available_memory.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/data/image_tensor.h"
#include "engine/data/video_folder.h"
#include "engine/tasks/engine_options.h"

#include <ATen/ops/zeros.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace engine {
namespace {

constexpr std::int64_t kSmallEncoders = 200'000'000;  // bytes of text encoders that are read in a moment

/// Counts the tensors that this thread has while it lives.
class TensorBytes final : public c10::MemoryReportingInfoBase {
public:
    explicit TensorBytes(const std::function<void()>& onFree)
        : m_onFree(onFree)
    {
    }
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        constexpr std::int64_t kLarge = 1'000'000;
        if (bytes <= -kLarge && m_onFree)
            m_onFree();
        m_bytes += bytes;
        m_peak = std::max(m_peak, m_bytes);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::int64_t peak() const { return m_peak; }

private:
    const std::function<void()>& m_onFree;
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

/// What a rank encodes: the files of a folder, of which one is tried, and their captions.
struct NewData {
    std::filesystem::path file;  ///< the largest of the first ones; empty: there is none, and images are not encoded
    std::int64_t files = 0;      ///< at most kMostListed
};

constexpr std::int64_t kMostListed = 1000;

NewData newData(const contract::Experiment& experiment)
{
    namespace fs = std::filesystem;
    NewData data;
    if (contract::usesPromptFile(experiment))
        return data;
    std::error_code error;
    std::uintmax_t largest = 0;
    constexpr auto kOptions = fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    std::int64_t entries = 0;
    for (fs::recursive_directory_iterator entry(experiment.text("data.folder"), kOptions, error), end;
        !error && entry != end && entries < kMostListed; entry.increment(error), ++entries) {
        std::error_code ignored;
        if ((!contract::hasImageName(entry->path()) && !hasVideoName(entry->path())) || !entry->is_regular_file(ignored))
            continue;
        ++data.files;
        if (const std::uintmax_t bytes = entry->file_size(ignored); !ignored && bytes > largest) {
            largest = bytes;
            data.file = entry->path();
        }
    }
    return data;
}

class EncodingTrial {
public:
    /// @param autoencoderBytes of its weights
    EncodingTrial(const contract::Experiment& experiment, const PlannedModel& planned, std::int64_t autoencoderBytes, bool hasSmallEncoders,
        const std::function<void()>& onFree)
        : m_pipeline(*planned.pipeline)
        , m_onFree(onFree)
        , m_autoencoderBytes(autoencoderBytes)
        , m_data(newData(experiment))
        , m_rules {experiment.real("data.frame_rate"), m_pipeline.framesWithin(experiment.integer("data.frames")), m_pipeline.temporalFactor()}
    {
        if (!hasSmallEncoders)
            return;
        const std::int64_t texts = m_data.files + 1, ranks = experiment.integer("launch.ranks");
        const std::int64_t each = std::clamp<std::int64_t>((texts + ranks - 1) / ranks, 1, PromptEncoder::kBatch);
        m_batches.emplace_back(static_cast<std::size_t>(each), planned.longestCaption);
        // A rank that has several, the last of another size, has kernels for both.
        if (const std::int64_t rest = texts % each; texts > each * ranks && rest > 0)
            m_batches.emplace_back(static_cast<std::size_t>(rest), planned.longestCaption);
    }

    EncodingBytes bytes(std::int64_t side) const
    {
        if (m_data.file.empty()) {
            const std::int64_t texts = bytesOf(0, 0);
            return {texts, texts};
        }
        constexpr std::int64_t kFewSteps = 4;  // of sizeStep(): 64 pixels for most models
        // Videos go through the autoencoder a few frames at a time, but all of them have been decoded.
        const std::int64_t frames = std::min(m_rules.maxFrames, 1 + 2 * m_pipeline.temporalFactor());
        const std::int64_t otherFrames = (m_rules.maxFrames - frames) * side * side * 3 * static_cast<std::int64_t>(sizeof(float));
        const std::int64_t few = kFewSteps * m_pipeline.sizeStep(), more = 2 * few;
        if (side <= more) {
            const std::int64_t all = bytesOf(side, frames);
            return {all, all + otherFrames};
        }
        const std::int64_t ofFew = bytesOf(few, frames), ofMore = bytesOf(more, frames);
        const std::int64_t pixels = std::min(side * side, DiffusionPipeline::kMaxPixels);
        const double perPixel = static_cast<double>(ofMore - ofFew) / static_cast<double>(more * more - few * few);
        return {ofMore, ofMore + static_cast<std::int64_t>(perPixel * static_cast<double>(pixels - more * more)) + otherFrames};
    }

private:
    /// The data's file at that size; of one that is damaged or has too few frames, nothing but its size.
    at::Tensor decoded(std::int64_t side, std::int64_t frames) const
    {
        const ImageSize size {static_cast<int>(side), static_cast<int>(side)};
        const bool isVideo = m_pipeline.traits().isVideo();
        try {
            return isVideo ? videoTensor(m_data.file, frames, size, m_rules) : imageTensor(readImage(m_data.file), size);
        } catch (const std::runtime_error&) {
            return at::zeros(isVideo ? std::vector<std::int64_t> {3, frames, side, side} : std::vector<std::int64_t> {3, side, side});
        }
    }

    /// @param side 0: only the prompts
    std::int64_t bytesOf(std::int64_t side, std::int64_t frames) const
    {
        // What malloc keeps of the first ones, which others then do not fit into, is part of the peak, but of large ones a small part.
        constexpr std::int64_t kMostImages = 8;
        constexpr double kMostWork = 4e11;  // a fraction of a second
        const bool areSmall = static_cast<double>(m_autoencoderBytes) * static_cast<double>(side * side * frames) < kMostWork;
        const std::int64_t images = side > 0 ? std::min(areSmall ? kMostImages : 1, m_data.files) : 0;
        m_pipeline.release();
        const auto counter = std::make_shared<TensorBytes>(m_onFree);
        const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, counter);
        for (std::int64_t i = 0; i < images; ++i)
            m_pipeline.encode(decoded(side, frames).unsqueeze(0));
        for (const std::vector<std::string>& prompts : m_batches)
            m_pipeline.features(prompts);
        m_pipeline.release();
        return counter->peak();
    }

    DiffusionPipeline& m_pipeline;
    const std::function<void()>& m_onFree;
    std::int64_t m_autoencoderBytes;
    NewData m_data;
    VideoRules m_rules;
    std::vector<std::vector<std::string>> m_batches;  ///< of prompts that are encoded at a time; empty: their encoders are large
};

}  // namespace

EncodingBytes encodingBytes(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus, const std::function<void()>& onFree)
{
    if (!planned.pipeline)
        return {};
    const contract::ModelFolder folder(experiment.text("model.folder"));
    const std::int64_t autoencoder = folder.has("vae") ? weightBytes(folder, "vae", at::kFloat) : 0;
    if (autoencoder > availableBytes(c10::kCPU) / 4)
        return {};
    std::int64_t prompts = 0;
    for (const auto& [name, component] : folder.components()) {
        if (name.starts_with("text_encoder"))
            prompts += weightBytes(folder, name, dtypeOf(experiment.text("engine.compute_dtype")));
    }
    EncodingBytes bytes = EncodingTrial(experiment, planned, autoencoder, prompts <= kSmallEncoders, onFree).bytes(experiment.integer("data.resolution"));
    const std::int64_t ranks = experiment.integer("launch.ranks");
    if (isOnGpus && ranks > 1)
        bytes.wanted = std::max(bytes.wanted, prompts / ranks + autoencoder);
    return bytes;
}

}  // namespace engine

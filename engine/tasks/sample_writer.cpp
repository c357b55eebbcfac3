#include "engine/tasks/sample_writer.h"

#include "engine/contract/formats/text.h"
#include "engine/data/png.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/rewards/video_frames.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// This rank's rows of a chunk. The last row is repeated as padding, so that every rank has equally many.
struct Share {
    std::vector<std::uint64_t> rows;
    std::vector<std::int64_t> labels;
};

Share shareOf(const Group& group, const std::vector<std::int64_t>& labels, std::int64_t start,
    std::int64_t each)
{
    Share share;
    const auto count = static_cast<std::int64_t>(labels.size());
    for (std::int64_t i = 0; i < each; ++i) {
        const std::int64_t row = std::min(start + group.rank() * each + i, count - 1);
        share.rows.push_back(static_cast<std::uint64_t>(row));
        share.labels.push_back(labels[static_cast<std::size_t>(row)]);
    }
    return share;
}

/// The whole factor by which small images are enlarged, to about @p pixels.
int enlargement(const at::Tensor& images, int pixels) { return std::max(1, pixels / static_cast<int>(images.size(-1))); }

/// Tells those who look at the file that it shows the frames of a video, side by side; the window plays them.
void addStrip(PngTexts& texts, std::int64_t frames, int gap)
{
    if (frames < 2)
        return;
    texts.emplace_back("frames", std::to_string(frames));
    texts.emplace_back("gap", std::to_string(gap));
}

}  // namespace

at::Tensor drawSamples(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const std::vector<std::int64_t>& labels, at::IntArrayRef imageShape, const SamplerOptions& options,
    std::uint64_t seed, std::string_view purpose, c10::Device device)
{
    constexpr std::int64_t kMostRows = 64;
    const at::NoGradGuard noGrad;
    const UnitSequence::EvaluationScope scope(units, weights);
    const auto count = static_cast<std::int64_t>(labels.size());
    const NoiseLevels levels = noiseLevels({}, Spacing::Sigmas, options.steps, 0);
    std::vector<at::Tensor> chunks;
    for (std::int64_t start = 0; start < count; start += group.size() * kMostRows) {
        const std::int64_t inChunk = std::min(count - start, group.size() * kMostRows);
        const std::int64_t each = (inChunk + group.size() - 1) / group.size();
        const Share share = shareOf(group, labels, start, each);
        const at::Tensor noise = normalRows(share.rows, imageShape, seed, purpose, 0).to(device);
        Conditions conditions;
        conditions.positive.labels = at::tensor(share.labels, at::kLong).to(device);
        conditions.negative.emplace().labels = at::full_like(conditions.positive.labels, model.nullLabel());
        const at::Tensor mine = sampleGuided(model, units, noise, conditions, levels, {Guidance::Classifier, options.guidanceScale});
        at::Tensor all = at::empty({group.size() * mine.numel()}, mine.options());
        all.narrow(0, group.rank() * mine.numel(), mine.numel()).copy_(mine.flatten());
        Pending gather = group.startAllGather(all, "samples");
        group.wait(gather);
        auto shape = mine.sizes().vec();
        shape[0] = group.size() * each;
        chunks.push_back(group.onHost(all.view(shape).narrow(0, 0, inChunk)));
    }
    return at::cat(chunks);
}

std::vector<std::int64_t> repeatedLabels(std::int64_t classes, std::int64_t perLabel)
{
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < classes * perLabel; ++i)
        labels.push_back(i % classes);
    return labels;
}

at::Tensor spacedFrames(const at::Tensor& videos)
{
    constexpr std::int64_t kMaxFrames = 8;
    return evenlySpacedFrames(videos.transpose(1, 2), kMaxFrames).flatten(0, 1).contiguous();
}

void writeSample(const std::filesystem::path& file, const DrawnSample& sample, std::int64_t step, std::uint64_t seed, const SamplerOptions& options)
{
    constexpr int kSmall = 64, kGap = 4;  // pixels
    const auto count = static_cast<int>(sample.images.size(0));
    const int columns = sample.isVideo ? count : static_cast<int>(std::ceil(std::sqrt(count)));
    const int gap = count == 1 ? 0 : sample.images.size(-1) < kSmall ? 1 : kGap;
    std::filesystem::create_directories(file.parent_path());
    PngTexts texts = {{"prompt", sample.prompt}, {"step", std::to_string(step)}, {"seed", std::to_string(seed)},
        {"guidance", contract::shortestText(options.guidanceScale)}, {"steps", std::to_string(options.steps)}};
    if (sample.isVideo)
        addStrip(texts, count, gap);
    writePng(file, imageGrid(sample.images, columns, 1, gap), texts);
}

void writeRoundSample(const std::filesystem::path& file, const RoundSample& sample, const std::string& prompt, const at::Tensor& frames)
{
    constexpr int kMinPixels = 192;  // it is shown alone
    const int gap = frames.size(0) > 1 ? 4 : 0;
    std::filesystem::create_directories(file.parent_path());
    PngTexts texts = {{"prompt", prompt}, {"round", std::to_string(sample.round)}, {"reward", contract::shortestText(sample.reward)},
        {"prompt reward", contract::shortestText(sample.promptReward)},
        {"prompt place", std::to_string(sample.promptPlace) + " of " + std::to_string(sample.prompts)},
        {"place", std::to_string(sample.place) + " of " + std::to_string(sample.samples)}};
    if (sample.watchedReward)
        texts.emplace_back("watched reward", contract::shortestText(*sample.watchedReward));
    addStrip(texts, frames.size(0), gap);
    writePng(file, imageGrid(frames, static_cast<int>(frames.size(0)), enlargement(frames, kMinPixels), gap), texts);
}

}  // namespace engine

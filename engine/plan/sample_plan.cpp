#include "engine/plan/sample_plan.h"

#include "engine/contract/experiment/policy_settings.h"
#include "engine/data/prompt_list.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr std::int64_t kMostFrames = 8;  // of a video, side by side

struct SampleShape {
    std::int64_t width = 0, height = 0, channels = 3;
    std::int64_t frames = 1;
};

SampleShape shapeOf(const contract::Experiment& experiment, const PlannedModel& planned)
{
    if (planned.digits) {
        const at::Tensor& images = planned.digits->training.images;
        return {.width = images.size(3), .height = images.size(2), .channels = images.size(1)};
    }
    const std::int64_t side = experiment.integer("data.resolution");
    const bool isVideo = planned.pipeline && planned.pipeline->traits().isVideo();
    return {.width = side, .height = side, .frames = isVideo ? std::min(kMostFrames, planned.pipeline->framesWithin(experiment.integer("data.frames"))) : 1};
}

/// Of a PNG file with @p count images in @p columns. What enlarged pixels repeat is compressed: each costs about two.
double fileBytes(const SampleShape& shape, std::int64_t count, std::int64_t columns, bool isEnlarged)
{
    constexpr double kGap = 4, kAround = 700;  // texts, such as the prompt, and chunks
    const double rows = std::ceil(static_cast<double>(count) / static_cast<double>(columns));
    const double width = static_cast<double>(columns) * (static_cast<double>(shape.width * (isEnlarged ? 2 : 1)) + kGap);
    return kAround + rows * (static_cast<double>(shape.height) + kGap) * (1 + width * static_cast<double>(shape.channels));
}

/// Of one drawing for all labels or prompts.
double drawingBytes(const contract::Experiment& experiment, const PlannedModel& planned, const SampleShape& shape)
{
    if (planned.digits) {
        const std::int64_t each = experiment.integer("sample.per_label");
        const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(each))));
        return static_cast<double>(planned.digits->training.classes) * fileBytes(shape, each, std::max<std::int64_t>(1, columns), false);
    }
    constexpr std::size_t kCaptions = 4;  // of the data, where no prompts are given
    const std::size_t given = splitPrompts(experiment.text("sample.prompts")).size();
    return static_cast<double>(given > 0 ? given : kCaptions) * fileBytes(shape, shape.frames, shape.frames, false);
}

/// Of the best and worst samples of rounds.
double roundBytes(const contract::Experiment& experiment, const SampleShape& shape)
{
    if (!contract::isPolicyAlgorithm(experiment.text("algorithm.name")))
        return 0;
    constexpr std::int64_t kSmall = 192, kKept = 4;  // pixels, and images of a round
    const contract::PolicySettings settings = contract::policySettings(experiment);
    if (settings.rollout.keepEvery == 0)
        return 0;
    const std::int64_t steps = experiment.integer("run.total_steps"), perRound = std::max<std::int64_t>(1, settings.miniBatches * settings.epochs);
    const std::int64_t rounds = steps / perRound + (steps % perRound > 0 ? 1 : 0);
    const std::int64_t kept = (rounds + settings.rollout.keepEvery - 1) / settings.rollout.keepEvery;
    return static_cast<double>(kept * kKept) * fileBytes(shape, shape.frames, shape.frames, shape.width <= kSmall / 2);
}

}  // namespace

std::int64_t sampleBytes(const contract::Experiment& experiment, const PlannedModel& planned)
{
    constexpr double kMost = 1e15;
    const SampleShape shape = shapeOf(experiment, planned);
    const std::int64_t every = experiment.integer("sample.every"), steps = experiment.integer("run.total_steps");
    const std::int64_t drawings = every > 0 ? steps / every + (steps % every > 0 ? 1 : 0) : 1;  // the last one is at the end
    const double bytes = static_cast<double>(drawings) * drawingBytes(experiment, planned, shape) + roundBytes(experiment, shape);
    return static_cast<std::int64_t>(std::min(kMost, bytes));
}

}  // namespace engine

#include "engine/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {
namespace {

/// Decays linearly from 1 to minRatio while @p progress goes from 0 to 1.
double linearDecay(double progress, double minRatio)
{
    return 1 - (1 - minRatio) * std::clamp(progress, 0.0, 1.0);
}

}  // namespace

double Schedule::factor(std::int64_t steps) const
{
    const auto step = static_cast<double>(steps + (isZeroIndexed ? 0 : 1));
    const auto warmup = static_cast<double>(warmupSteps);
    const auto total = static_cast<double>(totalSteps);
    if (step < warmup)
        return initialRatio + (1 - initialRatio) * step / std::max(1.0, warmup);

    const double progress = (step - warmup) / std::max(1.0, total - warmup);
    switch (shape) {
    case Shape::Constant:
        return 1;
    case Shape::Cosine: {
        const double wave = std::cos(2 * std::numbers::pi * cycles * progress);
        return std::max(minRatio, wave * (1 - minRatio) / 2 + (1 + minRatio) / 2);
    }
    case Shape::Linear:
        return linearDecay(progress, minRatio);
    case Shape::Wsd: {
        const auto decay = static_cast<double>(decaySteps);
        return linearDecay((step - (total - decay)) / std::max(1.0, decay), minRatio);
    }
    }
    return 1;
}

Schedule scheduleOf(const contract::Experiment& experiment)
{
    const std::string& name = experiment.text("schedule.type");
    Schedule schedule;
    schedule.shape = name == "cosine" ? Schedule::Shape::Cosine
        : name == "linear"            ? Schedule::Shape::Linear
        : name == "wsd"               ? Schedule::Shape::Wsd
                                      : Schedule::Shape::Constant;
    schedule.totalSteps = experiment.integer("run.total_steps");
    if (experiment.boolean("policy.schedule_by_round")) {
        const std::int64_t updates = experiment.integer("policy.mini_batches") * experiment.integer("policy.epochs");
        schedule.totalSteps = (schedule.totalSteps + updates - 1) / updates;
    }
    const auto share = [&](const char* ratio) {
        return static_cast<std::int64_t>(
            std::floor(experiment.real(ratio) * static_cast<double>(schedule.totalSteps)));
    };
    schedule.warmupSteps = experiment.integer("schedule.warmup_steps");
    if (schedule.warmupSteps == 0)
        schedule.warmupSteps = share("schedule.warmup_ratio");
    schedule.decaySteps = share("schedule.decay_ratio");
    schedule.minRatio = experiment.real("schedule.min_ratio");
    schedule.initialRatio = experiment.real("schedule.initial_ratio");
    schedule.cycles = experiment.real("schedule.cycles");
    return schedule;
}

}  // namespace engine

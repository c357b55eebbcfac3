#include "engine/train/training_progress.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <optional>

namespace engine {
namespace {

constexpr char kScheduleSteps[] = "schedule_steps";

std::int64_t stateInteger(const std::map<std::string, std::string>& state, const std::string& name)
{
    const auto found = state.find(name);
    const auto value
        = found == state.end() ? std::nullopt : contract::parseInteger(found->second);
    if (!value || *value < 0)
        throw EngineError(
            EngineError::Kind::BadCheckpoint, "the checkpoint's state lacks \"" + name + "\"");
    return *value;
}

}  // namespace

std::map<std::string, std::string> TrainingProgress::toState() const
{
    return {{"step", std::to_string(step)}, {"applied_steps", std::to_string(appliedSteps)},
        {"skipped_steps", std::to_string(skippedSteps)}, {kScheduleSteps, std::to_string(scheduleSteps)},
        {"samples_seen", std::to_string(samplesSeen)}};
}

TrainingProgress TrainingProgress::fromState(const std::map<std::string, std::string>& state)
{
    TrainingProgress progress {.step = stateInteger(state, "step"),
        .appliedSteps = stateInteger(state, "applied_steps"),
        .skippedSteps = stateInteger(state, "skipped_steps"),
        .samplesSeen = stateInteger(state, "samples_seen")};
    progress.scheduleSteps
        = state.contains(kScheduleSteps) ? stateInteger(state, kScheduleSteps) : progress.appliedSteps;
    return progress;
}

}  // namespace engine

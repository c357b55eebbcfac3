// When the runs in the queue will start and end, as far as that is known. Pure arithmetic; queue_outlook.h gathers what it needs.
//
// [Note: the queue's plan]
// The plan lets the clock run and does at each moment what the scheduler would do (scheduler.h): urgent entries start at once; of the
// others the first that is not held waits for its GPUs or for a place, and those behind it wait for it. A run whose duration is unknown
// keeps its place for ever, so what waits for it has no known start: not before the moment at which all that is known has happened.
#pragma once
#include "launcher/queue/queue.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

/// A run that is active now, or waits.
struct PlannedRun {
    std::string run;  ///< id
    std::optional<std::chrono::milliseconds> duration = {};  ///< of an active one: what is left of it
    std::string basis = {};  ///< where the duration comes from, as in "a trial", or why it is unknown
};

struct ActiveRun : PlannedRun {
    std::chrono::milliseconds since {0};   ///< how long it has been running
    std::vector<std::string> gpus = {};    ///< UUIDs of those that it has, which others get at its end; empty: it takes one of atOnce places
};

struct PlanInput {
    int atOnce = 1;
    std::vector<std::string> idleGpus = {};
    std::vector<ActiveRun> active = {};
    std::vector<QueueEntry> waiting = {};     ///< in their order
    std::vector<PlannedRun> estimates = {};   ///< of the waiting ones, in the same order
};

/// A bar of the plan. Times count from now.
struct PlanBar {
    enum class Kind {
        Active,
        Waiting,
        Held,       ///< it does not start before somebody releases it
        NeverFits,  ///< it waits for more GPUs, or others, than the runs before it will give back
    };
    std::string run;
    Kind kind = Kind::Waiting;
    bool isUrgent = false;
    std::chrono::milliseconds start {0};  ///< of an active run: negative
    bool isStartKnown = true;             ///< false: it does not start before `start`
    std::optional<std::chrono::milliseconds> end = {};  ///< nullopt: not known
    std::string basis = {};               ///< of the duration

    bool operator==(const PlanBar&) const = default;
};

/// The active runs, then the waiting ones in the order of the queue.
std::vector<PlanBar> planQueue(const PlanInput& input);

}  // namespace launcher

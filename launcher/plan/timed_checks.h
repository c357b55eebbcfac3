// Runs checks that may block, and gives up waiting for those that do.
#pragma once
#include "launcher/plan/preflight.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace launcher {

struct TimedCheck {
    std::string what;  ///< PreflightItem::what
    std::function<std::vector<PreflightItem>()> run;  ///< on a thread that may outlive the caller: must own what it uses
};

/// Runs the checks: those of different names at the same time, those of the same name one after the other.
/// @return after at most @p limit, the items of each check, in the order of the checks: a warning for each that has not ended by then, an
/// error for each that threw.
std::vector<std::vector<PreflightItem>> runChecks(const std::vector<TimedCheck>& checks, std::chrono::milliseconds limit);

}  // namespace launcher

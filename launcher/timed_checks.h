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
    std::function<std::vector<PreflightItem>()> run;  ///< on a thread of its own, which may outlive the caller: must own what it uses
};

/// Runs all checks at the same time. @return after at most @p limit, their items in the order of the checks: a warning for each that
/// has not ended by then, an error for each that threw.
std::vector<PreflightItem> runChecks(const std::vector<TimedCheck>& checks, std::chrono::milliseconds limit);

}  // namespace launcher

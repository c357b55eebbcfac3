// What `atelier plan - --json` says of an experiment, and `atelier gpus --json` of GPUs, as the window on another machine reads it, and the parts of it that both sides share.
#pragma once
#include "launcher/machine/gpus.h"
#include "launcher/plan/estimate.h"
#include "launcher/plan/forecast.h"
#include "launcher/plan/preflight.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace launcher {

nlohmann::json checksJson(const std::vector<PreflightItem>& checks);
nlohmann::json gpusJson(const GpuList& list);
nlohmann::json problemsJson(const std::vector<contract::Problem>& problems);

struct PlanAnswer {
    std::vector<contract::Problem> problems;  ///< these three only with --checks
    std::vector<PreflightItem> checks;
    GpuList gpus;
    std::optional<Forecast> forecast = {};    ///< without --checks
    std::optional<Estimate> estimate = {};    ///< with --trial; otherwise by an earlier trial of such an experiment, if there was one
};

/// Fields that are missing or of another type are left as they are.
/// @throws std::runtime_error in one sentence when @p document is no JSON object.
PlanAnswer planAnswer(const std::string& document);

/// How far a trial is, as `atelier plan --trial --progress` says it, and back; what makes no sense is no progress.
std::string progressText(const TrialProgress& progress);
TrialProgress progressOf(const std::string& text);

}  // namespace launcher

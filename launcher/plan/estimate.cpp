#include "launcher/plan/estimate.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/folders.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestFile = 1 << 20;
constexpr std::size_t kMostKept = 200;
constexpr double kLongestMs = 4e15;

fs::path estimatesFile(const DataHome& home) { return home.state / "estimates.json"; }
fs::path estimateFile(const contract::RunFolder& folder, int attempt) { return folder.attempt(attempt) / "estimate.json"; }

nlohmann::json toJson(const Estimate& estimate)
{
    const Trial& trial = estimate.trial;
    return {{"v", 1}, {"steps", trial.steps}, {"round", trial.isRound}, {"step_ms", trial.stepMs}, {"peak_bytes", trial.peakBytes},
        {"forecast_bytes", estimate.forecastBytes}, {"checkpoint_copy_bytes", estimate.checkpointCopyBytes}};
}

Estimate estimateFrom(const nlohmann::json& json)
{
    Estimate estimate;
    estimate.trial = {.steps = json.at("steps"), .isRound = json.at("round"), .stepMs = json.at("step_ms"), .peakBytes = json.at("peak_bytes")};
    estimate.forecastBytes = json.at("forecast_bytes");
    estimate.checkpointCopyBytes = json.at("checkpoint_copy_bytes");
    if (!std::isfinite(estimate.trial.stepMs) || estimate.trial.stepMs < 0)
        throw std::out_of_range("step_ms");
    return estimate;
}

std::string nameOf(const contract::Experiment& experiment)
{
    const std::string key = paceKey(experiment);
    contract::Checksum sum;
    sum.add(key.data(), key.size());
    return sum.text();
}

/// The remembered estimates, the newest first; empty when there are none that can be read.
nlohmann::json remembered(const DataHome& home)
{
    try {
        if (const auto text = contract::fileContentIfAny(estimatesFile(home), kLongestFile, contract::Links::Refuse)) {
            if (auto json = contract::parsedJson(*text); json.is_array())
                return json;
        }
    } catch (const std::exception&) { // what is remembered costs nothing but another trial
    }
    return nlohmann::json::array();
}

/// How often something is done every @p every steps and, if @p alsoLast, at the last one; 0: only then.
std::int64_t timesOf(std::int64_t every, std::int64_t total, bool alsoLast)
{
    const std::int64_t times = every > 0 ? total / every : 0;
    return alsoLast && (every == 0 || total % every != 0) ? times + 1 : times;
}

}  // namespace

std::chrono::milliseconds timeOf(const Trial& trial, std::int64_t steps)
{
    return std::chrono::milliseconds(std::llround(std::min(kLongestMs, trial.stepMs * static_cast<double>(steps))));
}

NotInSteps notInSteps(const contract::Experiment& experiment)
{
    const std::int64_t total = experiment.integer("run.total_steps");
    return {.samplings = timesOf(experiment.integer("sample.every"), total, true),
        .checkpoints = timesOf(experiment.integer("checkpoint.every"), total, true),
        .validations = timesOf(experiment.integer("validation.every"), total, false)};
}

std::string paceKey(const contract::Experiment& experiment)
{
    contract::Experiment same = experiment;
    for (const contract::Option& option : contract::options()) {
        for (const std::string_view group : {"checkpoint", "sample", "validation", "schedule"}) {
            if (option.group() == group)
                same.reset(option.key);
        }
    }
    for (const char* key : {"run.name", "run.project", "run.total_steps", "run.seed", "run.rules", "run.profile_steps", "optim.lr", "launch.restarts"})
        same.reset(key);
    return same.toToml(contract::Experiment::Write::ChangedOnly);
}

void keepEstimate(const DataHome& home, const contract::Experiment& experiment, const Estimate& estimate)
{
    const std::string name = nameOf(experiment);
    auto all = nlohmann::json::array();
    all.push_back(toJson(estimate));
    all.back()["experiment"] = name;
    for (auto& each : remembered(home)) {
        if (all.size() < kMostKept && each.is_object() && each.value("experiment", name) != name)
            all.push_back(std::move(each));
    }
    try {
        createFolder(home.state);
        contract::writeFileAtomically(estimatesFile(home), contract::jsonText(all, 1) + "\n");
    } catch (const std::system_error& error) {
        throw std::runtime_error(contract::cannotBe("written", estimatesFile(home), error.code().value()));
    }
}

std::optional<Estimate> estimateFor(const DataHome& home, const contract::Experiment& experiment)
{
    const std::string name = nameOf(experiment);
    try {
        for (const auto& each : remembered(home)) {
            if (each.at("experiment") == name)
                return estimateFrom(each);
        }
    } catch (const std::exception&) {
    }
    return std::nullopt;
}

void writeEstimate(const contract::RunFolder& folder, int attempt, const std::optional<Estimate>& estimate)
{
    try {
        if (estimate)
            contract::writeFileAtomically(estimateFile(folder, attempt), contract::jsonText(toJson(*estimate)) + "\n");
        else
            fs::remove(estimateFile(folder, attempt));
    } catch (const std::system_error&) { // also of fs::remove()
    }
}

std::optional<Estimate> readEstimate(const contract::RunFolder& folder, int attempt)
{
    try {
        const auto text = contract::fileContentIfAny(estimateFile(folder, attempt), kLongestFile, contract::Links::Refuse);
        return text ? std::optional(estimateFrom(contract::parsedJson(*text))) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace launcher

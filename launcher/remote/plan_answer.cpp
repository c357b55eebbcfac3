#include "launcher/remote/plan_answer.h"

#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"
#include "launcher/remote/protocol.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace launcher {
namespace {

using Json = nlohmann::json;
using Level = PreflightItem::Level;
using FixKind = PreflightFix::Kind;

constexpr std::array<std::pair<Level, std::string_view>, 3> kLevels = {{{Level::Ok, "ok"}, {Level::Warning, "warning"}, {Level::Error, "error"}}};
constexpr std::array<std::pair<FixKind, std::string_view>, 5> kFixes = {{{FixKind::SetOptions, "set_options"}, {FixKind::ChoosePath, "choose_path"},
    {FixKind::ShowOption, "show_option"}, {FixKind::OpenTrash, "open_trash"}, {FixKind::MoveHome, "move_home"}}};

template <typename Value, std::size_t Size>
std::string_view nameOf(const std::array<std::pair<Value, std::string_view>, Size>& names, Value value)
{
    return std::ranges::find(names, value, &std::pair<Value, std::string_view>::first)->second;
}

template <typename Value, std::size_t Size>
Value called(const std::array<std::pair<Value, std::string_view>, Size>& names, std::string_view name, Value otherwise)
{
    const auto found = std::ranges::find(names, name, &std::pair<Value, std::string_view>::second);
    return found == names.end() ? otherwise : found->first;
}

std::string text(const Json& json, const char* key) { return contract::escapedBytes(contract::shortened(textField(json, key), 4000)); }
std::int64_t count(const Json& json, const char* key) { return std::max<std::int64_t>(0, numberField(json, key)); }
bool isSet(const Json& json, const char* key) { return json.value(key, Json()) == true; }

double real(const Json& json, const char* key)
{
    const Json value = json.value(key, Json());
    return value.is_number() ? value.get<double>() : 0;
}

/// nullopt when there is no such number, or one that makes no sense.
std::optional<double> realWithin(const Json& json, const char* key, double least, double most)
{
    const Json value = json.value(key, Json());
    const double number = value.is_number() ? value.get<double>() : least - 1;
    return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

template <typename Value>
Json orNull(const std::optional<Value>& value) { return value ? Json(*value) : Json(nullptr); }

/// The objects of a list; what is none is left out.
std::vector<Json> objects(const Json& json, const char* key)
{
    std::vector<Json> list;
    const Json value = json.value(key, Json::array());
    for (const Json& each : value.is_array() ? value : Json::array()) {
        if (each.is_object())
            list.push_back(each);
    }
    return list;
}

Json object(const Json& json, const char* key)
{
    const Json value = json.value(key, Json::object());
    return value.is_object() ? value : Json::object();
}

std::vector<PreflightItem> checksOf(const Json& json)
{
    std::vector<PreflightItem> checks;
    for (const Json& each : objects(json, "checks")) {
        PreflightItem item {.level = called(kLevels, textField(each, "level"), Level::Warning), .what = text(each, "check"), .message = text(each, "message")};
        for (const Json& fix : objects(each, "fixes")) {
            PreflightFix one {.kind = called(kFixes, textField(fix, "kind"), FixKind::ShowOption), .label = text(fix, "label"), .key = text(fix, "key")};
            const Json values = object(fix, "values");
            for (const auto& [key, value] : values.items()) {
                if (value.is_string())
                    one.values[key] = value.get<std::string>();
            }
            item.fixes.push_back(std::move(one));
        }
        checks.push_back(std::move(item));
    }
    return checks;
}

GpuList gpusOf(const Json& json)
{
    GpuList list {.gpus = {}, .driver = text(json, "driver"), .problem = text(json, "problem"), .isDriverBroken = isSet(json, "driver_broken")};
    for (const Json& each : objects(json, "list")) {
        Gpu gpu {.index = static_cast<int>(std::min<std::int64_t>(count(each, "index"), 100'000)), .uuid = text(each, "uuid"), .name = text(each, "name"),
            .totalBytes = static_cast<std::uint64_t>(count(each, "total_bytes")), .freeBytes = static_cast<std::uint64_t>(count(each, "free_bytes")),
            .processes = {}, .isVisible = isSet(each, "visible"),
            .now = {.load = realWithin(each, "load", 0, 1), .watts = realWithin(each, "power_w", 0, 1e6), .celsius = realWithin(each, "temperature_c", -300, 1000), .isThrottled = {}}};
        if (each.contains("throttled") && each["throttled"].is_boolean())
            gpu.now.isThrottled = isSet(each, "throttled");
        for (const Json& process : objects(each, "processes"))
            gpu.processes.push_back({.process = static_cast<pid_t>(std::min<std::int64_t>(count(process, "process"), 1 << 30)),
                .bytes = static_cast<std::uint64_t>(count(process, "bytes")), .program = text(process, "program"), .user = text(process, "user"),
                .run = text(process, "run")});
        list.gpus.push_back(std::move(gpu));
    }
    return list;
}

Forecast forecastOf(const Json& json)
{
    const Json memory = object(json, "rank_memory"), disk = object(json, "disk");
    Forecast forecast {.isOnGpus = textField(json, "device") == "cuda", .ranks = std::max<std::int64_t>(1, count(json, "ranks")),
        .parameters = count(json, "parameters"), .trained = count(json, "trained"), .parts = {}, .knowsActivations = isSet(memory, "activations_known"),
        .freeBytes = count(memory, "free_bytes"), .checkpointBytes = count(disk, "checkpoint_bytes"), .checkpoints = count(disk, "checkpoints"),
        .sampleBytes = count(disk, "sample_bytes"), .cacheBytes = count(disk, "cache_bytes"), .isCacheElsewhere = isSet(disk, "cache_elsewhere"),
        .freeDisk = count(disk, "free_bytes")};
    for (const Json& part : objects(memory, "parts"))
        forecast.parts.push_back({.name = text(part, "name"), .bytes = count(part, "bytes"), .isOnHost = isSet(part, "on_host")});
    return forecast;
}

Estimate estimateOf(const Json& json)
{
    return {.trial = {.steps = count(json, "steps"), .isRound = isSet(json, "is_round"), .stepMs = std::max(0.0, 1000 * real(json, "step_seconds")),
                .peakBytes = count(json, "peak_bytes")},
        .forecastBytes = count(json, "forecast_bytes"), .checkpointCopyBytes = 0};
}

}  // namespace

Json checksJson(const std::vector<PreflightItem>& checks)
{
    Json list = Json::array();
    for (const PreflightItem& item : checks) {
        Json fixes = Json::array();
        for (const PreflightFix& fix : item.fixes)
            fixes.push_back({{"kind", nameOf(kFixes, fix.kind)}, {"label", fix.label}, {"key", fix.key}, {"values", fix.values}});
        list.push_back({{"check", item.what}, {"level", nameOf(kLevels, item.level)}, {"message", item.message}, {"fixes", fixes}});
    }
    return list;
}

Json gpusJson(const GpuList& list)
{
    Json gpus = Json::array();
    for (const Gpu& gpu : list.gpus) {
        Json processes = Json::array();
        for (const GpuProcess& each : gpu.processes)
            processes.push_back({{"process", each.process}, {"bytes", each.bytes}, {"program", each.program}, {"user", each.user}, {"run", each.run}});
        gpus.push_back({{"index", gpu.index}, {"uuid", gpu.uuid}, {"name", gpu.name}, {"total_bytes", gpu.totalBytes}, {"free_bytes", gpu.freeBytes},
            {"visible", gpu.isVisible}, {"processes", processes}, {"load", orNull(gpu.now.load)}, {"power_w", orNull(gpu.now.watts)},
            {"temperature_c", orNull(gpu.now.celsius)}, {"throttled", orNull(gpu.now.isThrottled)}});
    }
    return {{"driver", list.driver}, {"problem", list.problem}, {"driver_broken", list.isDriverBroken}, {"list", gpus}};
}

Json problemsJson(const std::vector<contract::Problem>& problems)
{
    Json list = Json::array();
    for (const contract::Problem& problem : problems)
        list.push_back({{"key", problem.key}, {"message", problem.message}});
    return list;
}

PlanAnswer planAnswer(const std::string& document)
{
    const Json json = contract::parseJson(document, "the answer");
    if (!json.is_object())
        throw std::runtime_error("the answer is no JSON object");
    PlanAnswer answer {.problems = {}, .checks = checksOf(json), .gpus = gpusOf(object(json, "gpus"))};
    for (const Json& problem : objects(json, "problems"))
        answer.problems.push_back({.key = text(problem, "key"), .message = text(problem, "message"), .line = 0});
    if (json.contains("rank_memory"))
        answer.forecast = forecastOf(json);
    for (const char* key : {"earlier_trial", "trial"}) {
        if (const Json trial = object(json, key); !trial.empty())
            answer.estimate = estimateOf(trial);
    }
    return answer;
}

std::string progressText(const TrialProgress& progress)
{
    return contract::jsonText(Json({{"doing", progress.doing}, {"steps", progress.steps}, {"of", progress.of}}));
}

TrialProgress progressOf(const std::string& document)
{
    const Json json = contract::parsedOrDiscarded(document);
    if (!json.is_object())
        return {};
    const std::int64_t of = std::min<std::int64_t>(count(json, "of"), 1'000'000);
    return {.doing = text(json, "doing"), .steps = std::min(count(json, "steps"), of), .of = of};
}

}  // namespace launcher

#include "launcher/state/mirror_state.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/file_end.h"
#include "launcher/state/journal_end.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

namespace launcher {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostStateBytes = 64 * 1024;

constexpr std::array kStates = {RunState::Prepared, RunState::Queued, RunState::Starting, RunState::Running, RunState::Stalled,
    RunState::Restarting, RunState::Stopping, RunState::Finished, RunState::Stopped, RunState::Failed, RunState::Interrupted,
    RunState::Missing, RunState::Imported, RunState::CutOff};

/// Null when the file is missing or damaged.
Json readState(const std::filesystem::path& file)
{
    try {
        const auto content = contract::fileContentIfAny(file, kMostStateBytes, contract::Links::Refuse);
        return content ? contract::parseJson(*content, file) : Json();
    } catch (const std::exception&) {
        return {};
    }
}

std::string stateLine(const Json& json) { return contract::jsonText(json) + "\n"; }

std::string textOf(const Json& json, const char* key)
{
    constexpr std::size_t kLongest = 2000;
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? contract::shortened(found->get<std::string>(), kLongest) : std::string();
}

std::int64_t numberOf(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? std::max<std::int64_t>(found->get<std::int64_t>(), 0) : 0;
}

std::optional<RunState> stateCalled(std::string_view name)
{
    const auto* found = std::ranges::find_if(kStates, [&](RunState state) { return stateName(state) == name; });
    return found == kStates.end() ? std::nullopt : std::optional(*found);
}

std::string heardAt(std::int64_t unixMs)
{
    const std::time_t seconds = unixMs / 1000;
    std::tm local {};
    ::localtime_r(&seconds, &local);
    char text[32] = "";
    std::strftime(text, sizeof text, "%F %T", &local);
    return text;
}

std::string cutOffCause(const MirrorLink& link, const RunStatus& seen)
{
    std::string cause = "No connection to " + link.host;
    if (link.heardUnixMs > 0)
        cause += " since " + heardAt(link.heardUnixMs);
    cause += "; the run was " + std::string(stateName(seen.state)) + " at step " + std::to_string(seen.step) + " then";
    return link.problem.empty() ? cause : cause + " (" + link.problem + ")";
}

}  // namespace

bool MirrorLink::isAlive(std::int64_t nowUnixMs) const
{
    return isConnected && nowUnixMs - heardUnixMs <= std::chrono::milliseconds(kLongestSilence).count();
}

std::optional<MirrorLink> mirrorLink(const std::filesystem::path& data)
{
    const Json json = readState(data / kMirrorFile);
    if (!json.is_object())
        return std::nullopt;
    MirrorLink link {.host = textOf(json, "host"), .isConnected = json.value("connected", Json()) == true, .problem = textOf(json, "problem"),
        .heardUnixMs = numberOf(json, "heard_unix_ms")};
    struct stat info {};
    if (link.isConnected && ::stat((data / kMirrorFile).c_str(), &info) == 0)
        link.heardUnixMs = std::max<std::int64_t>(link.heardUnixMs, info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000);
    return link;
}

void writeMirrorLink(const std::filesystem::path& data, const MirrorLink& link)
{
    const std::filesystem::path file = data / kMirrorFile;
    const std::string content = stateLine({{"v", 1}, {"host", link.host}, {"connected", link.isConnected}, {"problem", link.problem},
        {"heard_unix_ms", link.heardUnixMs}});
    contract::AtomicFile out(file, 0);
    out.output().write(content.data(), content.size());
    out.finish(contract::Durability::Process);
}

void touchMirrorLink(const std::filesystem::path& data) { ::utimensat(AT_FDCWD, (data / kMirrorFile).c_str(), nullptr, 0); }

Json statusJson(const RunStatus& status)
{
    Json json = {{"state", stateName(status.state)}};
    const auto addNumber = [&](const char* key, std::int64_t value) {
        if (value != 0)
            json[key] = value;
    };
    const auto addText = [&](const char* key, const std::string& value) {
        if (!value.empty())
            json[key] = value;
    };
    addNumber("attempt", status.attempt);
    addNumber("ranks", status.ranks);
    addNumber("step", status.step);
    addNumber("total_steps", status.totalSteps);
    addNumber("last_record_unix_ms", status.lastRecordUnixMs);
    addNumber("rule_unix_ms", status.ruleUnixMs);
    if (status.loss)
        json["loss"] = contract::shortestText(*status.loss);
    addText("cause", status.cause);
    addText("waits_for", status.waitsFor);
    addText("activity", status.activity);
    addText("place", status.place);
    addText("slurm_job", status.slurmJob);
    addText("rule", status.rule);
    return json;
}

std::optional<RunStatus> statusOf(const Json& json)
{
    if (!json.is_object())
        return std::nullopt;
    const auto state = stateCalled(textOf(json, "state"));
    if (!state)
        return std::nullopt;
    constexpr std::int64_t kMostAttempts = 1'000'000;
    RunStatus status;
    status.state = *state;
    status.attempt = static_cast<int>(std::min(numberOf(json, "attempt"), kMostAttempts));
    status.ranks = static_cast<int>(std::min(numberOf(json, "ranks"), kMostAttempts));
    status.step = numberOf(json, "step");
    status.totalSteps = numberOf(json, "total_steps");
    status.lastRecordUnixMs = numberOf(json, "last_record_unix_ms");
    status.ruleUnixMs = numberOf(json, "rule_unix_ms");
    status.loss = contract::parseReal(textOf(json, "loss"));
    status.cause = textOf(json, "cause");
    status.waitsFor = textOf(json, "waits_for");
    status.activity = textOf(json, "activity");
    status.place = textOf(json, "place");
    status.slurmJob = textOf(json, "slurm_job");
    status.rule = textOf(json, "rule");
    status.isSupervised = false;  // nobody but readers updates the mirror's database
    return status;
}

std::optional<SeenRun> seenRun(const contract::RunFolder& folder)
{
    const Json json = readState(folder.root() / kSeenFile);
    const auto status = json.is_object() && json.contains("status") ? statusOf(json["status"]) : std::nullopt;
    return status ? std::optional(SeenRun {*status, textOf(json, "stamp")}) : std::nullopt;
}

void writeSeenRun(const contract::RunFolder& folder, const SeenRun& seen)
{
    const std::string content = stateLine({{"v", 1}, {"stamp", seen.stamp}, {"status", statusJson(seen.status)}});
    contract::AtomicFile out(folder.root() / kSeenFile, 0);
    out.output().write(content.data(), content.size());
    out.finish(contract::Durability::Process);
}

std::optional<RunStatus> mirroredStatus(const contract::RunFolder& folder)
{
    const auto seen = seenRun(folder);
    const auto link = seen ? mirrorLink(folder.root().parent_path().parent_path()) : std::nullopt;
    if (!link)
        return std::nullopt;
    RunStatus status = seen->status;
    if (link->isAlive(nowUnixMs()) || (!isActive(status.state) && !isWaiting(status.state)))
        return status;
    // Its journal may have been copied further than its state.
    if (const JournalEnd end = readJournalEnd(folder.journal(0), status.attempt); end.hasStep)
        status.step = std::max(status.step, end.step);
    status.cause = cutOffCause(*link, status);
    status.wasActive = isActive(status.state);
    status.state = RunState::CutOff;
    status.waitsFor.clear();
    status.activity.clear();
    return status;
}

}  // namespace launcher

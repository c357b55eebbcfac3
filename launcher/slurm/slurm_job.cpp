#include "launcher/slurm/slurm_job.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/supervisor_lock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace launcher {
namespace {

using Json = nlohmann::json;

constexpr char kJobFile[] = "job.json", kSeenFile[] = "seen.json";

/// Null when the file is missing or damaged.
Json readJson(const std::filesystem::path& file)
{
    constexpr std::uint64_t kMostBytes = 64 * 1024;
    try {
        return contract::parsedJson(contract::fileContentIfAny(file, kMostBytes, contract::Links::Refuse).value_or("null"));
    } catch (const std::exception&) {
        return {};
    }
}

void writeJson(const std::filesystem::path& file, const Json& json)
{
    contract::writeFileAtomically(file, contract::jsonText(json) + "\n");
}

}  // namespace

bool SlurmSighting::isOver() const
{
    constexpr std::array<std::string_view, 14> kGoesOn = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED",
        "REQUEUE_FED", "REQUEUE_HOLD", "RESIZING", "RESV_DEL_HOLD", "SIGNALING", "SPECIAL_EXIT", "STAGE_OUT", "STOPPED"};
    return std::ranges::find(kGoesOn, state) == kGoesOn.end();
}

bool SlurmSighting::isRunning() const { return state == "RUNNING"; }

bool SlurmSighting::isEnding() const { return state == "COMPLETING"; }

std::filesystem::path slurmFolder(const contract::RunFolder& folder) { return folder.root() / "slurm"; }
std::filesystem::path slurmScriptFile(const contract::RunFolder& folder) { return slurmFolder(folder) / "job.sh"; }

std::optional<SlurmJob> slurmJob(const contract::RunFolder& folder)
{
    const Json json = readJson(slurmFolder(folder) / kJobFile);
    if (!json.is_object())
        return std::nullopt;
    SlurmJob job;
    try {
        job = {.id = json.at("job").get<std::string>(),
            .attempt = json.at("attempt").get<int>(),
            .submittedUnixMs = json.at("submitted_unix_ms").get<std::int64_t>()};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
    const auto owner = contract::lockOwner(folder);
    if (owner && !owner->isRankZero && owner->attempt >= job.attempt)
        return std::nullopt;  // a supervisor has started it since
    return job;
}

SlurmSighting lastSighting(const contract::RunFolder& folder, const SlurmJob& job)
{
    const Json json = readJson(slurmFolder(folder) / kSeenFile);
    try {
        if (json.is_object() && json.at("job").get<std::string>() == job.id)
            return {.state = json.at("state").get<std::string>(), .reason = json.at("reason").get<std::string>(),
                .nodes = json.at("nodes").get<std::string>(), .start = json.at("start").get<std::string>(),
                .problem = json.at("problem").get<std::string>(), .seenUnixMs = json.at("seen_unix_ms").get<std::int64_t>()};
    } catch (const Json::exception&) {
    }
    return {};
}

std::optional<SlurmJob> liveSlurmJob(const contract::RunFolder& folder)
{
    auto job = slurmJob(folder);
    if (job && lastSighting(folder, *job).isOver())
        job.reset();
    return job;
}

bool isOfPresentStart(const contract::RunFolder& folder, const contract::LockOwner& rankZero)
{
    std::ifstream file(slurmFolder(folder) / "begun");
    std::int64_t journalSize = 0;
    return (file >> journalSize) && rankZero.isRankZero && rankZero.journalOffset >= journalSize;
}

void writeSlurmJob(const contract::RunFolder& folder, const SlurmJob& job)
{
    writeJson(slurmFolder(folder) / kJobFile,
        {{"v", 1}, {"job", job.id}, {"attempt", job.attempt}, {"submitted_unix_ms", job.submittedUnixMs}});
}

void writeSighting(const contract::RunFolder& folder, const SlurmJob& job, const SlurmSighting& sighting)
{
    writeJson(slurmFolder(folder) / kSeenFile,
        {{"v", 1}, {"job", job.id}, {"state", sighting.state}, {"reason", sighting.reason}, {"nodes", sighting.nodes},
            {"start", sighting.start}, {"problem", sighting.problem}, {"seen_unix_ms", sighting.seenUnixMs}});
}

}  // namespace launcher

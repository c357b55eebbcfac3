#include "storage/checkpoint_ingest.h"

#include "engine/contract/checkpoint/manifest_copy.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/mirrored_run.h"
#include "storage/run_ingest.h"

#include <optional>

namespace storage {
namespace {

using contract::CheckpointManifest;

struct StoredCheckpoint {
    std::string stamp;
    bool isPinned = false;
};

std::map<std::int64_t, StoredCheckpoint> storedCheckpoints(Database& database, std::int64_t run)
{
    std::map<std::int64_t, StoredCheckpoint> stored;
    Query row = database.query("SELECT step, stamp, is_pinned FROM checkpoint WHERE run = ?");
    row.bind(run);
    while (row.step())
        stored[row.integer(0)] = {row.text(1), row.integer(2) != 0};
    return stored;
}

void remove(Database& database, std::int64_t run, std::int64_t step)
{
    database.query("DELETE FROM checkpoint WHERE run = ? AND step = ?").bind(run, step).run();
}

void write(Database& database, std::int64_t run, std::int64_t step, const CheckpointManifest& manifest,
    const StoredCheckpoint& found)
{
    const std::string path = "checkpoints/step-" + std::to_string(step);
    WriteTransaction transaction(database);
    remove(database, run, step);
    database.query("INSERT INTO checkpoint (run, step, path, attempt, unix_ms, bytes, is_pinned, stamp)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, step, path, manifest.attempt, manifest.unixMs, static_cast<std::int64_t>(manifest.bytes()),
            found.isPinned, found.stamp)
        .run();
    for (const auto& [name, value] : manifest.metrics)
        database.query("INSERT INTO checkpoint_metric (run, step, name, value_bits) VALUES (?, ?, ?, ?)")
            .bind(run, step, name, bitsOf(value))
            .run();
    transaction.commit();
}

std::optional<CheckpointManifest> readUndamaged(const std::filesystem::path& folder,
    bool isMirrored, const std::string& stamp, DamagedManifests& damaged, std::vector<std::string>& problems)
{
    const auto known = damaged.find(folder.string());
    if (known != damaged.end() && known->second == stamp)
        return {};
    try {
        return isMirrored ? contract::readManifestCopy(folder) : contract::readManifest(folder);
    } catch (const std::exception& error) {
        if (contract::hasEntry(folder / contract::kManifestFile)) {  // else rotation has just removed it
            problems.emplace_back(error.what());
            damaged[folder.string()] = stamp;
        }
        return {};
    }
}

}  // namespace

void ingestCheckpoints(Database& database, std::int64_t run, const contract::RunFolder& folder,
    DamagedManifests& damaged, std::vector<std::string>& problems)
{
    // Read before the folders: rows that another process adds meanwhile must not be removed below.
    auto stored = storedCheckpoints(database, run);
    std::error_code unreadable;
    for (const std::int64_t step : folder.checkpointSteps(unreadable)) {
        const std::filesystem::path checkpoint = folder.checkpoint(step);
        std::error_code error;
        const StoredCheckpoint found {stampOf(checkpoint / contract::kManifestFile),
            std::filesystem::exists(checkpoint / contract::kPinFile, error)};
        const auto known = stored.find(step);
        if (known != stored.end() && known->second.stamp == found.stamp) {
            if (known->second.isPinned != found.isPinned)
                database.query("UPDATE checkpoint SET is_pinned = ? WHERE run = ? AND step = ?")
                    .bind(found.isPinned, run, step)
                    .run();
            stored.erase(known);
        } else if (const auto manifest = readUndamaged(checkpoint, contract::isMirrored(folder), found.stamp, damaged, problems)) {
            write(database, run, step, *manifest, found);
            stored.erase(step);
        }
    }
    if (const std::string problem = whyUnreadable(folder.checkpoints(), unreadable); !problem.empty()) {
        problems.push_back(problem);
        return;
    }
    for (const auto& [step, gone] : stored)
        remove(database, run, step);
}

}  // namespace storage

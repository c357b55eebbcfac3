#include "ui/checkpoint/listed_checkpoints.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/manifest_copy.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/mirrored_run.h"
#include "launcher/home/trash.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

namespace ui {
namespace {

namespace fs = std::filesystem;

/// Nullopt while it is being removed. Of another machine's checkpoints only the manifest is here.
std::optional<ListedCheckpoint> read(const contract::RunFolder& run, const fs::path& folder, std::int64_t step)
{
    const bool isMirrored = contract::isMirrored(run);
    const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Read);
    if (!lock.isHeld() || (isMirrored && !contract::hasEntry(folder / contract::kManifestFile)))
        return {};
    ListedCheckpoint row;
    row.step = step;
    row.path = folder.lexically_relative(run.root()).string();
    row.isPinned = contract::hasEntry(folder / contract::kPinFile);
    try {
        const contract::CheckpointManifest manifest = isMirrored ? contract::readManifestCopy(folder) : contract::readManifest(folder);
        row.attempt = manifest.attempt;
        row.unixMs = manifest.unixMs;
        row.bytes = static_cast<std::int64_t>(manifest.bytes());
        row.metrics = {manifest.metrics.begin(), manifest.metrics.end()};
    } catch (const std::exception& error) {
        row.damage = error.what();
        row.bytes = static_cast<std::int64_t>(launcher::folderBytes(folder));
    }
    return row;
}

}  // namespace

std::vector<ListedCheckpoint> listedCheckpoints(const contract::RunFolder& run, std::vector<storage::CheckpointRow> indexed)
{
    std::vector<ListedCheckpoint> rows;
    for (storage::CheckpointRow& row : indexed)
        rows.push_back({std::move(row)});
    for (const std::int64_t step : run.checkpointFolders()) {
        if (std::ranges::find(rows, step, &ListedCheckpoint::step) != rows.end())
            continue;
        // One that can be read is about to be in the index.
        if (auto row = read(run, run.checkpoint(step), step); row && !row->damage.empty())
            rows.push_back(std::move(*row));
    }
    for (const auto& [step, number] : run.formerCheckpoints()) {
        if (auto row = read(run, run.formerCheckpoint(step, number), step)) {
            row->isFormer = true;
            rows.push_back(std::move(*row));
        }
    }
    std::ranges::sort(rows, {}, [](const ListedCheckpoint& row) { return std::tie(row.step, row.path); });
    return rows;
}

}  // namespace ui

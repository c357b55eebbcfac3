#include "engine/contract/attempt/history.h"

#include "engine/contract/checkpoint/manifest_copy.h"

#include <exception>
#include <limits>

namespace contract {
namespace {

/// The attempt that wrote a checkpoint, whose files may be missing; 0 when its manifest cannot be read.
int writerOf(const std::filesystem::path& checkpoint)
{
    try {
        return readManifestCopy(checkpoint).attempt;
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace

int parentAttempt(const RunFolder& folder, const AttemptStart& start)
{
    if (start.parentAttempt > 0)
        return start.parentAttempt;
    if (start.parentCheckpoint.empty())
        return start.parentStep > 0 ? start.attempt - 1 : 0;  // of a run that was imported by an earlier version
    const int writer = writerOf(folder.checkpoint(start.parentStep));
    return writer < start.attempt ? writer : 0;  // a later one has replaced that checkpoint
}

Lineage historyOf(const RunFolder& folder)
{
    std::vector<Descent> attempts;
    for (const int number : folder.attempts()) {
        Descent descent {.attempt = number, .parentStep = std::numeric_limits<std::int64_t>::max()};
        try {
            const AttemptStart start = folder.readStart(number);
            descent.parentStep = start.parentStep;
            descent.parent = parentAttempt(folder, start);
        } catch (const std::exception&) {
            descent.parent = attempts.empty() ? 0 : attempts.back().attempt;
        }
        attempts.push_back(descent);
    }
    return lineageOf(attempts);
}

LatestCheckpoint latestCheckpoint(const RunFolder& folder)
{
    const Lineage history = historyOf(folder);
    const auto steps = folder.checkpointFolders();
    LatestCheckpoint latest;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        try {
            const CheckpointManifest manifest = readManifest(folder.checkpoint(*step));
            if (belongs(history, manifest.attempt, *step)) {
                latest.step = *step;
                latest.attempt = manifest.attempt;
                return latest;
            }
            latest.abandoned.push_back(*step);
        } catch (const std::exception& error) {
            if (const int writer = writerOf(folder.checkpoint(*step)); writer > 0 && !belongs(history, writer, *step))
                continue;
            latest.problem = latest.damaged.empty() ? error.what() : latest.problem;
            latest.damaged.push_back(*step);
        }
    }
    return latest;
}

std::optional<std::int64_t> impliedCheckpoint(const RunFolder& folder)
{
    const LatestCheckpoint latest = latestCheckpoint(folder);
    if (!latest.damaged.empty())
        return latest.damaged.front();
    const auto steps = folder.checkpointFolders();
    return latest.step || steps.empty() ? latest.step : std::optional(steps.back());
}

}  // namespace contract

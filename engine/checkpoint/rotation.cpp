#include "engine/checkpoint/rotation.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

std::set<std::int64_t> bestSteps(const std::vector<RotationCandidate>& oldestFirst, const RotationPolicy& policy)
{
    std::vector<RotationCandidate> measured;
    std::ranges::copy_if(oldestFirst, std::back_inserter(measured), [](const RotationCandidate& each) { return each.metric.has_value(); });
    std::ranges::stable_sort(measured, {}, [&](const RotationCandidate& each) {
        return policy.isLowerBest ? *each.metric : -*each.metric;
    });
    measured.resize(std::min(measured.size(), static_cast<std::size_t>(policy.keepBest)));
    std::set<std::int64_t> steps;
    for (const RotationCandidate& each : measured)
        steps.insert(each.step);
    return steps;
}

/// True also when it cannot be determined, because a pinned checkpoint must never be removed.
bool isPinned(const fs::path& checkpoint)
{
    std::error_code error;
    return fs::exists(checkpoint / contract::kPinFile, error) || error;
}

/// Skips checkpoints that cannot be read: another program may have written them.
std::vector<RotationCandidate> readAll(const contract::RunFolder& run, const std::string& metric)
{
    std::vector<RotationCandidate> all;
    for (const std::int64_t step : run.checkpointSteps()) {
        const fs::path folder = run.checkpoint(step);
        try {
            const auto manifest = contract::readManifest(folder);
            RotationCandidate kept {.step = step, .unixMs = manifest.unixMs, .bytes = manifest.bytes(),
                .isPinned = isPinned(folder), .metric = {}};
            const auto found = manifest.metrics.find(metric);
            if (found != manifest.metrics.end() && std::isfinite(found->second))
                kept.metric = found->second;
            all.push_back(kept);
        } catch (const std::exception&) {
            continue;
        }
    }
    return all;
}

void removeCheckpoint(const contract::RunFolder& run, std::int64_t step)
{
    const fs::path folder = run.checkpoint(step);
    const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Remove);
    if (!lock.isHeld() || isPinned(folder))
        return;  // the next rotation tries again
    const fs::path removed = run.checkpoints() / (kUnfinishedPrefix + folder.filename().string());
    std::error_code error;
    fs::remove_all(removed, error);
    fs::rename(folder, removed);  // readers no longer see it, even if the removal is interrupted
    fs::remove_all(removed);
}

/// Gives a checkpoint with kFormerEnding its name back, unless its successor has it.
bool isGivenItsName(const contract::RunFolder& run, const fs::path& folder)
{
    const std::string file = folder.filename().string();
    std::string_view name = file;
    if (!name.ends_with(kFormerEnding) || !contract::hasEntry(folder / contract::kManifestFile))
        return false;
    name.remove_prefix(std::string_view(kUnfinishedPrefix).size());
    const auto step = contract::parseInteger(name.substr(0, name.find('-')));
    if (!step || *step < 0 || contract::hasEntry(run.checkpoint(*step)))
        return false;
    std::error_code error;
    fs::rename(folder, run.checkpoint(*step), error);
    return !error;
}

}  // namespace

std::vector<std::int64_t> checkpointsToRemove(
    std::vector<RotationCandidate> checkpoints, const RotationPolicy& policy, std::int64_t writtenStep)
{
    std::ranges::sort(checkpoints, {}, [&](const RotationCandidate& each) {
        return std::tuple(each.step == writtenStep, each.unixMs, each.step);
    });
    const auto best = bestSteps(checkpoints, policy);
    const auto isKeptByStep = [&](const RotationCandidate& each) { return policy.keepEvery > 0 && each.step % policy.keepEvery == 0; };
    const auto isRemovable = [&](const RotationCandidate& each) {
        return !each.isPinned && each.step != writtenStep && !best.contains(each.step);
    };
    auto unpinned = std::ranges::count(checkpoints, false, &RotationCandidate::isPinned);
    std::uint64_t bytes = 0;
    for (const RotationCandidate& each : checkpoints)
        bytes += each.bytes;

    std::set<std::int64_t> removed;
    std::vector<std::int64_t> order;
    const auto removeStep = [&](const RotationCandidate& each) {
        removed.insert(each.step);
        order.push_back(each.step);
        bytes -= each.bytes;
    };
    for (const RotationCandidate& each : checkpoints) {
        const bool isNew = each.isPinned || unpinned-- <= policy.keep;
        if (!isNew && isRemovable(each) && !isKeptByStep(each))
            removeStep(each);
    }
    for (const bool removesKeptByStep : {false, true}) {
        for (const RotationCandidate& each : checkpoints) {
            const bool isTooMuch = policy.maxBytes > 0 && bytes > policy.maxBytes;
            if (isTooMuch && isRemovable(each) && isKeptByStep(each) == removesKeptByStep && !removed.contains(each.step))
                removeStep(each);
        }
    }
    return order;
}

void rotateCheckpoints(const contract::RunFolder& run, const RotationPolicy& policy, std::int64_t writtenStep)
{
    std::exception_ptr problem;
    RotationPolicy used = policy;
    std::vector<RotationCandidate> checkpoints = readAll(run, policy.bestMetric);
    if (policy.keepBest > 0 && std::ranges::none_of(checkpoints, [](const RotationCandidate& each) { return each.metric.has_value(); })) {
        checkpoints = readAll(run, contract::metric::kLoss);
        used.isLowerBest = true;
    }
    for (const std::int64_t step : checkpointsToRemove(std::move(checkpoints), used, writtenStep)) {
        try {
            removeCheckpoint(run, step);
        } catch (const std::exception&) {
            problem = std::current_exception();
        }
    }
    if (problem)
        std::rethrow_exception(problem);
}

void removeUnfinishedCheckpoints(const contract::RunFolder& run)
{
    std::error_code error;
    for (const fs::path& folder : contract::entriesOf(run.checkpoints())) {
        if (!folder.filename().string().starts_with(kUnfinishedPrefix) || isGivenItsName(run, folder))
            continue;
        const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Remove);
        const bool isFolder = fs::is_directory(folder, error);
        if (!isFolder || (lock.isHeld() && !isPinned(folder)))
            fs::remove_all(folder, error);
    }
}

}  // namespace engine

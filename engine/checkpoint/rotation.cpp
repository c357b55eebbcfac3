#include "engine/checkpoint/rotation.h"

#include "engine/contract/checkpoint_lock.h"
#include "engine/contract/checkpoint_manifest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <system_error>
#include <tuple>

namespace engine {
namespace {

namespace fs = std::filesystem;

std::set<std::int64_t> bestSteps(const std::vector<KeptCheckpoint>& oldestFirst, const RotationPolicy& policy)
{
    std::vector<KeptCheckpoint> measured;
    std::ranges::copy_if(oldestFirst, std::back_inserter(measured), [](const KeptCheckpoint& each) { return each.metric.has_value(); });
    std::ranges::stable_sort(measured, {}, [&](const KeptCheckpoint& each) {
        return policy.isLowerBest ? *each.metric : -*each.metric;
    });
    measured.resize(std::min(measured.size(), static_cast<std::size_t>(policy.keepBest)));
    std::set<std::int64_t> steps;
    for (const KeptCheckpoint& each : measured)
        steps.insert(each.step);
    return steps;
}

/// Checkpoints that cannot be read are not counted: they may be somebody else's.
std::vector<KeptCheckpoint> readAll(const contract::RunFolder& run, const std::string& metric)
{
    std::vector<KeptCheckpoint> all;
    for (const std::int64_t step : run.checkpointSteps()) {
        const fs::path folder = run.checkpoint(step);
        try {
            const auto manifest = contract::readManifest(folder);
            KeptCheckpoint kept {.step = step, .unixMs = manifest.unixMs, .bytes = manifest.bytes(),
                .isPinned = fs::exists(folder / contract::kPinFile), .metric = {}};
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
    if (!lock.isHeld() || fs::exists(folder / contract::kPinFile))
        return;  // the next rotation looks again
    const fs::path doomed = run.checkpoints() / (kUnfinishedPrefix + folder.filename().string());
    std::error_code error;
    fs::remove_all(doomed, error);
    fs::rename(folder, doomed, error);  // gone at once for readers, whatever happens to the rest
    fs::remove_all(doomed, error);
}

}  // namespace

std::vector<std::int64_t> superfluousCheckpoints(
    std::vector<KeptCheckpoint> checkpoints, const RotationPolicy& policy, std::int64_t writtenStep)
{
    std::ranges::sort(checkpoints, {}, [&](const KeptCheckpoint& each) {
        return std::tuple(each.step == writtenStep, each.unixMs, each.step);
    });
    const auto best = bestSteps(checkpoints, policy);
    const auto isOfEvery = [&](const KeptCheckpoint& each) { return policy.keepEvery > 0 && each.step % policy.keepEvery == 0; };
    const auto mayGo = [&](const KeptCheckpoint& each) {
        return !each.isPinned && each.step != writtenStep && !best.contains(each.step);
    };
    auto unpinned = std::ranges::count(checkpoints, false, &KeptCheckpoint::isPinned);
    std::uint64_t bytes = 0;
    for (const KeptCheckpoint& each : checkpoints)
        bytes += each.bytes;

    std::set<std::int64_t> gone;
    std::vector<std::int64_t> order;
    const auto take = [&](const KeptCheckpoint& each) {
        gone.insert(each.step);
        order.push_back(each.step);
        bytes -= each.bytes;
    };
    for (const KeptCheckpoint& each : checkpoints) {
        const bool isNew = each.isPinned || unpinned-- <= policy.keep;
        if (!isNew && mayGo(each) && !isOfEvery(each))
            take(each);
    }
    for (const bool takesEvery : {false, true}) {
        for (const KeptCheckpoint& each : checkpoints) {
            const bool isTooMuch = policy.mostBytes > 0 && bytes > policy.mostBytes;
            if (isTooMuch && mayGo(each) && isOfEvery(each) == takesEvery && !gone.contains(each.step))
                take(each);
        }
    }
    return order;
}

void rotateCheckpoints(const contract::RunFolder& run, const RotationPolicy& policy, std::int64_t writtenStep)
{
    for (const std::int64_t step : superfluousCheckpoints(readAll(run, policy.bestMetric), policy, writtenStep))
        removeCheckpoint(run, step);
}

void removeUnfinishedCheckpoints(const contract::RunFolder& run)
{
    std::error_code error;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator entry(run.checkpoints(), error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(kUnfinishedPrefix))
            unfinished.push_back(entry->path());
    }
    for (const fs::path& folder : unfinished)
        fs::remove_all(folder, error);
}

}  // namespace engine

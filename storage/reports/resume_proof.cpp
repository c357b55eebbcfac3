#include "storage/reports/resume_proof.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>

namespace storage {
namespace {

constexpr std::int64_t kMostSteps = 100'000;

/// NaNs with the same bits are the same.
bool isSame(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

const SeriesRow* find(const std::vector<SeriesRow>& series, const std::string& metric, int attempt)
{
    const auto found = std::ranges::find_if(
        series, [&](const SeriesRow& row) { return row.rank == 0 && row.attempt == attempt && row.metric == metric; });
    return found == series.end() ? nullptr : &*found;
}

/// Adds to @p proof what a metric says.
void compare(const Store& store, const SeriesRow& former, const SeriesRow& later, std::int64_t first, ResumeProof& proof, std::set<std::int64_t>& steps)
{
    const std::int64_t both = std::min(former.lastStep, later.lastStep), last = std::min(both, first + kMostSteps - 1);
    if (last < first)
        return;
    proof.isCut = proof.isCut || both > last;
    std::map<std::int64_t, double> before;
    for (const Point& point : store.range(former.id, first, last, kMostSteps).points)
        before.emplace(point.step, point.value);
    bool isCompared = false;
    for (const Point& point : store.range(later.id, first, last, kMostSteps).points) {
        const auto same = before.find(point.step);
        if (same == before.end())
            continue;
        isCompared = true;
        steps.insert(point.step);
        if (!isSame(same->second, point.value) && (!proof.first || point.step < proof.first->step))
            proof.first = {point.step, later.metric, same->second, point.value};
    }
    proof.metrics += isCompared;
}

}  // namespace

bool isResult(std::string_view metric)
{
    for (const std::string_view prefix : {"time/", "timing_s/", "timing_per_image_ms/", "memory/", "perf/", "system/"}) {
        if (metric.starts_with(prefix))
            return false;
    }
    // Units are suffixes of the names.
    return !metric.ends_with("_per_s") && !metric.ends_with("_ms") && !metric.ends_with("_bytes");
}

std::vector<ResumeProof> resumeProofs(const Store& store, const std::vector<AttemptRow>& attempts, const std::vector<SeriesRow>& series)
{
    std::vector<ResumeProof> proofs;
    for (const AttemptRow& later : attempts) {
        const auto former = std::find_if(attempts.rbegin(), attempts.rend(),
            [&](const AttemptRow& each) { return each.number < later.number && each.lastStep > later.parentStep; });
        if (former == attempts.rend())
            continue;
        ResumeProof proof {.former = former->number, .later = later.number, .first = {}};
        std::set<std::int64_t> steps;
        for (const SeriesRow& row : series) {
            if (row.rank != 0 || row.attempt != later.number || !isResult(row.metric))
                continue;
            if (const SeriesRow* const same = find(series, row.metric, former->number))
                compare(store, *same, row, later.parentStep + 1, proof, steps);
        }
        if (steps.empty())
            continue;
        proof.firstStep = *steps.begin();
        proof.lastStep = *steps.rbegin();
        proof.steps = static_cast<std::int64_t>(steps.size());
        proofs.push_back(std::move(proof));
    }
    return proofs;
}

}  // namespace storage

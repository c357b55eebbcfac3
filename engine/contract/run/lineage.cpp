#include "engine/contract/run/lineage.h"

#include <algorithm>

namespace contract {

int parentOf(const Descent& of, const std::vector<Descent>& attempts)
{
    int begun = 0, recorded = 0;
    for (const Descent& each : attempts) {
        if (each.attempt >= of.attempt)
            break;
        if (each.attempt == of.parent)
            return each.attempt;
        if (each.parentStep > of.parentStep)
            continue;
        begun = each.attempt;
        if (each.lastStep >= of.parentStep)
            recorded = each.attempt;
    }
    return recorded > 0 ? recorded : begun;
}

Lineage lineageOf(const std::vector<Descent>& attempts)
{
    Lineage lineage;
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    for (auto each = attempts.rbegin(); each != attempts.rend();) {
        lineage[each->attempt] = last;
        last = std::min(last, each->parentStep);
        const int parent = parentOf(*each, attempts);
        each = std::find_if(each, attempts.rend(), [parent](const Descent& earlier) { return earlier.attempt == parent; });
    }
    return lineage;
}

bool belongs(const Lineage& lineage, int attempt, std::int64_t step)
{
    const auto found = lineage.find(attempt);
    return lineage.empty() || (found != lineage.end() && step <= found->second);
}

}  // namespace contract

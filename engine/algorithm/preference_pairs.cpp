#include "engine/algorithm/preference_pairs.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

[[noreturn]] void refusePairs(const std::string& sentence) { throw EngineError(EngineError::Kind::WrongUsage, sentence); }

void compareCounts(std::size_t groups, std::size_t scores)
{
    if (groups != scores)
        throw std::invalid_argument("there are " + std::to_string(scores) + " scores, but groups of " + std::to_string(groups) + " samples");
}

}  // namespace

std::vector<std::int64_t> preferencePairs(const std::vector<std::int64_t>& groups, const std::vector<double>& scores)
{
    compareCounts(groups.size(), scores.size());
    std::vector<std::vector<std::size_t>> members;
    std::map<std::int64_t, std::size_t> indices;
    for (std::size_t row = 0; row < groups.size(); ++row) {
        const auto [entry, isNew] = indices.emplace(groups[row], members.size());
        if (isNew)
            members.emplace_back();
        members[entry->second].push_back(row);
    }
    std::vector<std::int64_t> pairs;
    for (std::vector<std::size_t>& rows : members) {
        if (rows.size() < 2)
            continue;
        std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
        pairs.push_back(static_cast<std::int64_t>(rows.front()));
        pairs.push_back(static_cast<std::int64_t>(rows.back()));
    }
    if (pairs.empty())
        refusePairs("no prompt has two samples, so that there are no pairs to prefer one from: draw more samples per prompt");
    return pairs;
}

void checkPairs(const std::vector<double>& rewards, const std::vector<std::int64_t>& groups)
{
    if (rewards.empty() || rewards.size() % 2 != 0)
        refusePairs("a batch of pairs has " + std::to_string(rewards.size()) + " samples; it needs a chosen and a rejected one each");
    if (!groups.empty())
        compareCounts(groups.size(), rewards.size());
    for (std::size_t row = 0; row < rewards.size(); row += 2) {
        const std::string pair = "pair " + std::to_string(row / 2);
        if (!groups.empty() && groups[row] != groups[row + 1])
            refusePairs(pair + " has samples of two prompts: those of a pair must stand next to each other");
        if (rewards[row] < rewards[row + 1])
            refusePairs(pair + " has a chosen sample of reward " + contract::shortestText(rewards[row])
                + " and a rejected one of reward " + contract::shortestText(rewards[row + 1]) + ": the chosen one must come first");
    }
}

}  // namespace engine

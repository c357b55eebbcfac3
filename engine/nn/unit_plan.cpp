#include "engine/nn/unit_plan.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/name_pattern.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace engine {
namespace {

std::int64_t elementsIn(const UnitSpec& unit)
{
    return std::transform_reduce(unit.parameters.begin(), unit.parameters.end(), std::int64_t {0}, std::plus<>(),
        [](const ParameterSpec& parameter) { return parameter.elements(); });
}

void requireMatches(const std::vector<UnitSpec>& blocks, const std::vector<std::string_view>& patterns)
{
    for (const std::string_view pattern : patterns) {
        if (std::ranges::none_of(blocks, [&](const UnitSpec& block) { return contract::matchesPattern(block.name, pattern); }))
            throw EngineError(EngineError::Kind::WrongUsage,
                "engine.wrap.keep_in_root: no block is called \"" + std::string(pattern) + "\"; the model has "
                    + blocks.front().name + " … " + blocks.back().name);
    }
}

}  // namespace

UnitPlan planUnits(UnitSpec root, std::vector<UnitSpec> blocks, const WrapPolicy& policy)
{
    const auto patterns = contract::namePatterns(policy.keepInRoot);
    requireMatches(blocks, patterns);
    UnitPlan plan {{std::move(root)}, {}};
    std::string first;      // name of the first block in the unit that is being filled
    bool takesMore = false;
    for (UnitSpec& block : blocks) {
        const bool staysInRoot
            = std::ranges::any_of(patterns,
                [&](std::string_view pattern) { return contract::matchesPattern(block.name, pattern); });
        if (!staysInRoot && !takesMore)
            plan.units.push_back({first = block.name, {}});
        else if (!staysInRoot)
            plan.units.back().name = first + "-" + block.name.substr(block.name.rfind('.') + 1);
        UnitSpec& unit = staysInRoot ? plan.units.front() : plan.units.back();
        plan.blocks.push_back({staysInRoot ? 0 : plan.units.size() - 1, unit.parameters.size()});
        for (ParameterSpec& parameter : block.parameters)
            parameter.isOfBlock = staysInRoot;
        std::ranges::move(block.parameters, std::back_inserter(unit.parameters));
        takesMore = !staysInRoot && elementsIn(unit) < policy.minParameters;
    }
    return plan;
}

}  // namespace engine

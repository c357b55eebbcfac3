#include "engine/shard/unit_parts.h"

#include <map>
#include <utility>

namespace engine {
namespace {

enum Rank { Trained, OfAdapter, Frozen };

using Kind = std::pair<Rank, std::string>;

Kind kindOf(const ParameterSpec& parameter)
{
    if (parameter.isTrained)
        return {Trained, ""};
    return parameter.adapter.empty() ? Kind(Frozen, "") : Kind(OfAdapter, parameter.adapter);
}

}  // namespace

std::vector<UnitPart> partsOf(const UnitSpec& unit)
{
    std::map<Kind, UnitPart> byKind;
    for (std::size_t i = 0; i < unit.parameters.size(); ++i) {
        UnitPart& part = byKind[kindOf(unit.parameters[i])];
        part.spec.parameters.push_back(unit.parameters[i]);
        part.places.push_back(i);
    }
    std::vector<UnitPart> parts;
    for (auto& [kind, part] : byKind) {
        const auto& [rank, adapter] = kind;
        part.spec.name = unit.name;
        if (!parts.empty())
            part.spec.name += rank == Frozen ? ", frozen" : ", adapter " + adapter;
        parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace engine

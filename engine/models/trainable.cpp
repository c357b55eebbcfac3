#include "engine/models/trainable.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/name_pattern.h"

namespace engine {

void selectTrainable(std::vector<UnitSpec>& units, std::string_view names)
{
    if (names == "all")
        return;
    for (UnitSpec& unit : units) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    const auto refuse = [&](std::string_view name) {
        std::string first, last;  // a unit may have no parameters
        for (const UnitSpec& unit : units) {
            for (const ParameterSpec& parameter : unit.parameters) {
                first = first.empty() ? parameter.name : first;
                last = parameter.name;
            }
        }
        throw EngineError(EngineError::Kind::WrongUsage,
            "model.trainable: no parameter is called \"" + std::string(name) + "\"; the model has " + first + " … " + last);
    };
    const auto patterns = contract::namePatterns(names);
    if (patterns.empty())
        refuse("");
    for (const std::string_view pattern : patterns) {
        bool isFound = false;
        for (UnitSpec& unit : units) {
            for (ParameterSpec& parameter : unit.parameters) {
                if (contract::matchesPattern(parameter.name, pattern))
                    isFound = parameter.isTrained = true;
            }
        }
        if (!isFound)
            refuse(pattern);
    }
}

std::string sizeSummary(const std::vector<UnitSpec>& units)
{
    std::int64_t parameters = 0, trained = 0;
    for (const UnitSpec& unit : units) {
        for (const ParameterSpec& parameter : unit.parameters) {
            parameters += parameter.elements();
            trained += parameter.isTrained ? parameter.elements() : 0;
        }
    }
    return std::to_string(parameters) + " parameters, " + std::to_string(trained) + " of them trained, in "
        + std::to_string(units.size()) + " units";
}

}  // namespace engine

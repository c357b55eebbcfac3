#include "engine/model/trainable.h"

#include "engine/comm/errors.h"

#include <algorithm>
#include <string>

namespace engine {
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool fits(std::string_view name, std::string_view pattern)
{
    if (pattern.empty())
        return name.empty();
    if (pattern.front() != '*')
        return !name.empty() && name.front() == pattern.front() && fits(name.substr(1), pattern.substr(1));
    return fits(name, pattern.substr(1)) || (!name.empty() && fits(name.substr(1), pattern));
}

}  // namespace

void selectTrainable(std::vector<UnitSpec>& units, std::string_view names)
{
    if (trimmed(names) == "all")
        return;
    for (UnitSpec& unit : units) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        const std::string_view pattern = trimmed(names.substr(begin, end - begin));
        bool isFound = false;
        for (UnitSpec& unit : units) {
            for (ParameterSpec& parameter : unit.parameters) {
                if (fits(parameter.name, pattern))
                    isFound = parameter.isTrained = true;
            }
        }
        if (!isFound)
            throw EngineError(EngineError::Kind::WrongUsage,
                "model.trainable: no parameter is called \"" + std::string(pattern) + "\"; the model has "
                    + units.front().parameters.front().name + " … " + units.back().parameters.back().name);
        begin = end + 1;
    }
}

std::string sizeOf(const std::vector<UnitSpec>& units)
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

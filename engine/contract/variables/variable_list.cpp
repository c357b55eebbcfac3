#include "engine/contract/variables/variable_list.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cstddef>

namespace contract {
namespace {

bool isNameCharacter(char each) { return (each >= 'A' && each <= 'Z') || (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '_'; }

bool isName(std::string_view text) { return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, isNameCharacter); }

/// Whether a variable begins the text, so that a comma before it ends a value.
bool beginsVariable(std::string_view text) { return text.substr(0, text.find(',')).find('=') != std::string_view::npos; }

std::string problemOf(std::string_view name, const Variables& before)
{
    if (!isName(name))
        return quotedText(name) + " is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0";
    if (std::ranges::find(before, name, &Variables::value_type::first) != before.end())
        return std::string(name) + " is there twice";
    return {};
}

}  // namespace

ParsedVariables parseVariables(std::string_view text)
{
    ParsedVariables parsed;
    if (std::ranges::any_of(text, [](char each) { return static_cast<unsigned char>(each) < ' '; }))
        return {{}, "must be a single line"};
    for (std::string_view rest = trimmed(text); !rest.empty();) {
        std::size_t end = rest.find(',');
        while (end != std::string_view::npos && !beginsVariable(rest.substr(end + 1)) && !trimmed(rest.substr(end + 1)).empty())
            end = rest.find(',', end + 1);
        const std::string_view variable = trimmed(rest.substr(0, end));
        const std::size_t equals = variable.find('=');
        const std::string_view name = trimmed(variable.substr(0, equals));
        if (equals == std::string_view::npos)
            return {{}, quotedText(variable) + " has no value; write NAME=VALUE"};
        if (std::string problem = problemOf(name, parsed.variables); !problem.empty())
            return {{}, std::move(problem)};
        parsed.variables.emplace_back(name, trimmed(variable.substr(equals + 1)));
        rest = end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(end + 1));
    }
    return parsed;
}

}  // namespace contract

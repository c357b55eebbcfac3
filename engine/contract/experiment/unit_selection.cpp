#include "engine/contract/experiment/unit_selection.h"

#include "engine/contract/formats/name_pattern.h"
#include "engine/contract/formats/text.h"

#include <algorithm>

namespace contract {
namespace {

bool isName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("._-*").find(c) != std::string_view::npos;
    });
}

}  // namespace

std::optional<UnitSelection> UnitSelection::parse(std::string_view text)
{
    constexpr std::string_view kEvery = "every ";
    UnitSelection selection;
    const auto patterns = namePatterns(text);
    if (patterns.empty() || (patterns.size() == 1 && patterns[0] == "none"))
        return patterns.empty() ? std::nullopt : std::optional(selection);
    if (patterns.size() == 1 && patterns[0] == "all") {
        selection.m_every = 1;
    } else if (patterns.size() == 1 && patterns[0].starts_with(kEvery)) {
        const auto every = parseInteger(patterns[0].substr(kEvery.size()));
        if (!every || *every < 1)
            return std::nullopt;
        selection.m_every = static_cast<std::size_t>(*every);
    } else {
        if (!std::ranges::all_of(patterns, isName))
            return std::nullopt;
        selection.m_names.assign(patterns.begin(), patterns.end());
    }
    return selection;
}

bool UnitSelection::contains(std::size_t index, std::string_view name) const
{
    return (m_every > 0 && index > 0 && index % m_every == 0)
        || std::ranges::any_of(m_names, [&](const std::string& pattern) { return matchesPattern(name, pattern); });
}

std::vector<std::string> UnitSelection::unmatched(const std::vector<std::string>& units) const
{
    std::vector<std::string> missing;
    for (const std::string& pattern : m_names) {
        if (std::ranges::none_of(units, [&](const std::string& unit) { return matchesPattern(unit, pattern); }))
            missing.push_back(pattern);
    }
    return missing;
}

}  // namespace contract

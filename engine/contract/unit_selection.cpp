#include "engine/contract/unit_selection.h"

#include "engine/contract/text.h"

#include <algorithm>

namespace contract {
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool isName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("._-*?").find(c) != std::string_view::npos;
    });
}

/// Shell-like; linear in time but for the last star, which alone is tried again.
bool matches(std::string_view pattern, std::string_view name)
{
    std::size_t p = 0, n = 0, star = std::string_view::npos, resumed = 0;
    while (n < name.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resumed = n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resumed;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::optional<UnitSelection> UnitSelection::parse(std::string_view text)
{
    UnitSelection selection;
    text = trimmed(text);
    if (text == "none")
        return selection;
    if (text == "all") {
        selection.m_every = 1;
        return selection;
    }
    constexpr std::string_view kEvery = "every ";
    if (text.starts_with(kEvery)) {
        const auto every = parseInteger(trimmed(text.substr(kEvery.size())));
        if (!every || *every < 1)
            return std::nullopt;
        selection.m_every = static_cast<std::size_t>(*every);
        return selection;
    }
    while (true) {
        const auto comma = text.find(',');
        const std::string_view name = trimmed(text.substr(0, comma));
        if (!isName(name))
            return std::nullopt;
        selection.m_names.emplace_back(name);
        if (comma == std::string_view::npos)
            return selection;
        text.remove_prefix(comma + 1);
    }
}

bool UnitSelection::contains(std::size_t index, std::string_view name) const
{
    return (m_every > 0 && index > 0 && index % m_every == 0)
        || std::ranges::any_of(m_names, [&](const std::string& pattern) { return matches(pattern, name); });
}

std::vector<std::string> UnitSelection::unmatched(const std::vector<std::string>& units) const
{
    std::vector<std::string> missing;
    for (const std::string& pattern : m_names) {
        if (std::ranges::none_of(units, [&](const std::string& unit) { return matches(pattern, unit); }))
            missing.push_back(pattern);
    }
    return missing;
}

}  // namespace contract

#include "engine/contract/adapters/adapter_targets.h"

#include "engine/contract/formats/name_pattern.h"
#include "engine/contract/formats/regular_expression.h"
#include "engine/contract/formats/safetensors_header.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

bool isEndOf(std::string_view end, std::string_view path)
{
    return path == end || (path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '.');
}

RegularExpression compiled(const std::string& pattern)
{
    try {
        return RegularExpression(pattern);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("target modules " + quotedName(pattern) + ": not a valid regular expression (it " + error.what()
            + "); write \"all-linear\", a list, or a regular expression for whole paths");
    }
}

}  // namespace

AdapterTargets AdapterTargets::ofText(std::string_view text)
{
    constexpr std::string_view kAll = "all-linear";
    AdapterTargets targets;
    const bool isAll = std::ranges::equal(text, kAll, {}, [](unsigned char c) { return std::tolower(c); }, [](unsigned char c) { return int {c}; });
    targets.m_kind = isAll ? Kind::AllLinear : Kind::Pattern;
    targets.m_pattern = text;
    if (!isAll)
        compiled(targets.m_pattern);
    return targets;
}

AdapterTargets AdapterTargets::ofList(std::vector<std::string> names)
{
    AdapterTargets targets;
    targets.m_names = std::move(names);
    return targets;
}

AdapterTargets AdapterTargets::ofOption(const std::string& text)
{
    if (text.empty())
        return {};
    if (text.find_first_of("*\\[(|^$") != std::string::npos)
        return ofText(text);
    if (auto word = ofText(text); word.isAllLinear())
        return word;
    std::vector<std::string> names;
    for (const std::string_view name : namePatterns(text))
        names.emplace_back(name);
    return ofList(std::move(names));
}

std::string AdapterTargets::text() const
{
    if (m_kind != Kind::List)
        return m_pattern;
    std::string names;
    for (const std::string& name : m_names)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

std::vector<std::string> AdapterTargets::matching(const std::vector<std::string>& modules) const
{
    if (m_kind == Kind::AllLinear)
        return modules;
    std::vector<std::string> selected;
    if (m_kind == Kind::List) {
        std::ranges::copy_if(modules, std::back_inserter(selected), [this](const std::string& path) {
            return std::ranges::any_of(m_names, [&path](const std::string& name) { return isEndOf(name, path); });
        });
        return selected;
    }
    const RegularExpression pattern = compiled(m_pattern);
    try {
        std::ranges::copy_if(modules, std::back_inserter(selected), [&pattern](const std::string& path) { return pattern.matches(path); });
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("target modules " + quotedName(m_pattern) + ": the expression " + error.what());
    }
    return selected;
}

std::vector<std::string> matchedModules(
    const std::vector<std::string>& modules, const AdapterTargets& targets, const AdapterTargets& excluded)
{
    std::vector<std::string> matched = targets.matching(modules);
    const bool hadMatches = !matched.empty();
    const auto removed = excluded.matching(matched);
    const std::set<std::string> without(removed.begin(), removed.end());
    std::erase_if(matched, [&without](const std::string& path) { return without.contains(path); });
    if (!matched.empty())
        return matched;
    throw std::runtime_error("target modules " + quotedName(targets.text())
        + (hadMatches ? ": all layers that they select are excluded by " + quotedName(excluded.text())
                      : ": none of the model's linear layers matches"
                    + (modules.empty() ? std::string() : "; one of them is " + modules.front())));
}

std::vector<std::string> shortestTargets(const std::vector<std::string>& matched, const std::vector<std::string>& others)
{
    std::set<std::string> targets;
    for (const std::string& path : matched) {
        std::size_t begin = path.size();
        bool isUnambiguous = false;
        while (!isUnambiguous && begin > 0) {
            const std::size_t dot = path.rfind('.', begin >= 2 ? begin - 2 : 0);
            begin = begin < 2 || dot == std::string::npos ? 0 : dot + 1;
            const std::string_view end = std::string_view(path).substr(begin);
            isUnambiguous = begin == 0 || (!std::isdigit(static_cast<unsigned char>(end.front()))
                        && std::ranges::none_of(others, [end](const std::string& other) { return isEndOf(end, other); }));
        }
        targets.insert(path.substr(begin));
    }
    return {targets.begin(), targets.end()};
}

}  // namespace contract

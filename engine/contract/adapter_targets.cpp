#include "engine/contract/adapter_targets.h"

#include "engine/contract/safetensors_header.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

constexpr std::size_t kLongestPattern = 1000;  // characters

bool isEndOf(std::string_view end, std::string_view path)
{
    return path == end || (path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '.');
}

std::regex compiled(const std::string& pattern)
{
    try {
        if (pattern.size() > kLongestPattern)
            throw std::runtime_error("it is too long");
        return std::regex(pattern, std::regex::ECMAScript);
    } catch (const std::runtime_error& error) {  // std::regex_error is one
        throw std::runtime_error("target modules " + shownName(pattern) + ": no regular expression (" + error.what()
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

std::string AdapterTargets::text() const
{
    if (m_kind != Kind::List)
        return m_pattern;
    std::string names;
    for (const std::string& name : m_names)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

std::vector<std::string> AdapterTargets::among(const std::vector<std::string>& modules) const
{
    if (m_kind == Kind::AllLinear)
        return modules;
    std::vector<std::string> meant;
    if (m_kind == Kind::List) {
        std::ranges::copy_if(modules, std::back_inserter(meant), [this](const std::string& path) {
            return std::ranges::any_of(m_names, [&path](const std::string& name) { return isEndOf(name, path); });
        });
        return meant;
    }
    const std::regex pattern = compiled(m_pattern);
    try {
        std::ranges::copy_if(modules, std::back_inserter(meant), [&pattern](const std::string& path) { return std::regex_match(path, pattern); });
    } catch (const std::regex_error&) {
        throw std::runtime_error("target modules " + shownName(m_pattern) + ": too costly a regular expression to try");
    }
    return meant;
}

std::vector<std::string> matchedModules(
    const std::vector<std::string>& modules, const AdapterTargets& targets, const AdapterTargets& excluded)
{
    std::vector<std::string> matched = targets.among(modules);
    const bool wasThere = !matched.empty();
    const auto left = excluded.among(matched);
    const std::set<std::string> without(left.begin(), left.end());
    std::erase_if(matched, [&without](const std::string& path) { return without.contains(path); });
    if (!matched.empty())
        return matched;
    throw std::runtime_error("target modules " + shownName(targets.text())
        + (wasThere ? ": all that they mean are excluded by " + shownName(excluded.text()) : ": none of the model's linear layers fits"
                    + (modules.empty() ? std::string() : "; one of them is " + modules.front())));
}

std::vector<std::string> shortestTargets(const std::vector<std::string>& matched, const std::vector<std::string>& others)
{
    std::set<std::string> targets;
    for (const std::string& path : matched) {
        std::size_t begin = path.size();
        bool isOwn = false;
        while (!isOwn && begin > 0) {
            const std::size_t dot = path.rfind('.', begin >= 2 ? begin - 2 : 0);
            begin = begin < 2 || dot == std::string::npos ? 0 : dot + 1;
            const std::string_view end = std::string_view(path).substr(begin);
            isOwn = begin == 0 || (!std::isdigit(static_cast<unsigned char>(end.front()))
                        && std::ranges::none_of(others, [end](const std::string& other) { return isEndOf(end, other); }));
        }
        targets.insert(path.substr(begin));
    }
    return {targets.begin(), targets.end()};
}

}  // namespace contract

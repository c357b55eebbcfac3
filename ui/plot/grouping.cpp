#include "ui/plot/lines/grouping.h"

#include "engine/contract/formats/name_pattern.h"

#include <algorithm>
#include <map>

namespace ui {
namespace {

std::string optionOf(const storage::Store& store, const storage::RunRow& run, const std::string& key)
{
    for (const storage::ParameterRow& row : store.parameters(run.id, run.attempts)) {
        if (row.key == key)
            return row.value;
    }
    return {};
}

std::string joined(std::vector<std::string> tags)
{
    std::ranges::sort(tags);
    std::string text;
    for (const std::string& tag : tags)
        text += (text.empty() ? "" : ", ") + tag;
    return text;
}

std::string optionsBut(const storage::Store& store, const storage::RunRow& run, const std::vector<std::string>& ignored)
{
    std::map<std::string, std::string> options;
    for (const storage::ParameterRow& row : store.parameters(run.id, run.attempts)) {
        if (std::ranges::none_of(ignored, [&](const std::string& pattern) { return contract::matchesPattern(row.key, pattern); }))
            options[row.key] = row.value;
    }
    std::string text;
    for (const auto& [key, value] : options)
        text += key + '=' + value + '\n';
    return text;
}

}  // namespace

std::string groupKey(const storage::Store& store, const storage::RunRow& run, const Grouping& grouping)
{
    switch (grouping.by) {
    case Grouping::By::Nothing:
        return {};
    case Grouping::By::Run:
        return run.id;
    case Grouping::By::Option:
        return optionOf(store, run, grouping.option);
    case Grouping::By::Project:
        return run.project;
    case Grouping::By::Tags:
        return joined(run.tags);
    case Grouping::By::Repeats:
        return optionsBut(store, run, grouping.ignored);
    }
    return {};
}

std::vector<std::string> differingOptions(const storage::Store& store, const std::vector<std::string>& runs)
{
    std::vector<std::string> keys;
    std::map<std::string, std::vector<std::string>> values;
    std::size_t known = 0;
    for (const std::string& id : runs) {
        const auto run = store.run(id);
        if (!run)
            continue;
        ++known;
        for (const storage::ParameterRow& row : store.parameters(id, run->attempts)) {
            auto& all = values[row.key];
            if (all.empty())
                keys.push_back(row.key);
            all.push_back(row.value);
        }
    }
    std::erase_if(keys, [&](const std::string& key) {
        const auto& all = values[key];
        const bool isEqual = all.size() == known && std::ranges::count(all, all.front()) == std::ssize(all);
        return key == "run.name" || isEqual;
    });
    return keys;
}

}  // namespace ui

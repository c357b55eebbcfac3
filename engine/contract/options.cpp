#include "engine/contract/options.h"

#include "engine/contract/option_tables.h"
#include "engine/contract/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace contract {
namespace {

using enum OptionType;

const std::vector<Option>& table()
{
    static const std::vector<Option> all = [] {
        std::vector<Option> tables;
        for (const auto part : {runOptions, engineOptions, optimizerOptions, resultOptions})
            std::ranges::move(part(), std::back_inserter(tables));
        return tables;
    }();
    return all;
}

}  // namespace

std::span<const Option> options() { return table(); }

bool appliesWith(const Option& option, std::string_view other)
{
    std::string_view values = option.appliesTo;
    values.remove_prefix(std::min(values.find('=') + 1, values.size()));
    while (!values.empty()) {
        const std::size_t end = std::min(values.find('|'), values.size());
        if (values.substr(0, end) == other)
            return true;
        values.remove_prefix(std::min(end + 1, values.size()));
    }
    return option.appliesTo.empty();
}

const Option* findOption(std::string_view key)
{
    const auto found = std::ranges::find(table(), key, &Option::key);
    return found == table().end() ? nullptr : &*found;
}

std::string_view nearestKey(std::string_view key)
{
    constexpr std::size_t kLongest = 100;
    if (key.size() > kLongest)
        return {};
    std::string_view best;
    // Nearness first, then edits: they decide among the groups that have a name in common.
    std::pair<std::size_t, std::size_t> bestDistance = {std::max<std::size_t>(2, key.size() / 3) + 1, 0};
    for (const Option& option : table()) {
        // A right name in the wrong group, or with none, is nearer than any spelling.
        const bool isSameName = option.name() == key.substr(key.rfind('.') + 1);
        const std::size_t edits = editDistance(key, option.key);
        const std::pair distance(isSameName ? std::size_t{1} : edits, edits);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = option.key;
        }
    }
    return best;
}

std::string toText(const OptionValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return shortestText(*real);
    return std::get<std::string>(value);
}

std::string describeRange(const Option& option)
{
    switch (option.type) {
    case Boolean:
        return "true or false";
    case Text:
        return "text";
    case FilePath:
        return "path of a file";
    case FolderPath:
        return "path of a folder";
    case Choice: {
        std::string text = "one of: ";
        for (const std::string_view choice : option.choices)
            text.append(text.ends_with(": ") ? "" : ", ").append(choice);
        return text;
    }
    case Integer:
    case Real:
        break;
    }
    std::string text = option.type == Integer ? "an integer" : "a number";
    const bool hasMinimum = std::isfinite(option.minimum);
    const bool hasMaximum = std::isfinite(option.maximum);
    if (hasMinimum && hasMaximum)
        text += " from " + shortestText(option.minimum) + " to " + shortestText(option.maximum);
    else if (hasMinimum)
        text += " of at least " + shortestText(option.minimum);
    else if (hasMaximum)
        text += " of at most " + shortestText(option.maximum);
    return text;
}

}  // namespace contract

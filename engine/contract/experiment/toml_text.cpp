#include "engine/contract/experiment/toml_text.h"

#include "engine/contract/experiment/options.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace contract {
namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string join(const Lines& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text.append(line).append("\n");
    return text;
}

std::string_view trimmed(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool isHeaderOf(std::string_view line, std::string_view group)
{
    const std::string_view text = trimmed(line.substr(0, line.find('#')));
    return text.size() == group.size() + 2 && text.front() == '[' && text.back() == ']'
        && text.substr(1, group.size()) == group;
}

bool isHeader(std::string_view line) { return trimmed(line).starts_with('['); }

bool isValueOf(std::string_view line, std::string_view name)
{
    const std::string_view text = trimmed(line);
    return text.starts_with(name) && trimmed(text.substr(name.size())).starts_with('=');
}

/// Line indices of one table: [begin, end), without its header and trailing blank lines.
struct Section {
    Lines::difference_type begin = 0;
    Lines::difference_type end = 0;
};

std::optional<Section> findSection(const Lines& lines, std::string_view group)
{
    const auto header = std::ranges::find_if(
        lines, [&](const std::string& line) { return isHeaderOf(line, group); });
    if (header == lines.end())
        return std::nullopt;
    auto end = std::find_if(header + 1, lines.end(), isHeader);
    while (end != header + 1 && trimmed(*(end - 1)).empty())
        --end;
    return Section {header + 1 - lines.begin(), end - lines.begin()};
}

/// The option's line as Experiment::toToml() writes it: "lr = 0.001".
std::string valueLine(const Option& option, const Experiment& experiment)
{
    const Lines lines = split(experiment.toToml(Experiment::Write::Everything));
    const auto section = findSection(lines, option.group());
    if (!section)
        return {};
    const auto line = std::find_if(lines.begin() + section->begin, lines.begin() + section->end,
        [&](const std::string& text) { return isValueOf(text, option.name()); });
    return line == lines.begin() + section->end ? std::string() : std::string(trimmed(*line));
}

/// The comment after the value. Empty for a line with quotes, where a '#' may be part of a string.
std::string commentOf(std::string_view line)
{
    const std::size_t sign = line.find('#');
    if (sign == std::string_view::npos || line.find_first_of("\"'") != std::string_view::npos)
        return {};
    return "  " + std::string(trimmed(line.substr(sign)));
}

void edit(Lines& lines, const Option& option, const Experiment& experiment)
{
    const std::string value = valueLine(option, experiment);
    const auto section = findSection(lines, option.group());
    if (!section) {
        if (!lines.empty() && !trimmed(lines.back()).empty())
            lines.emplace_back();
        lines.push_back("[" + std::string(option.group()) + "]");
        lines.push_back(value);
        return;
    }
    const auto end = lines.begin() + section->end;
    const auto line = std::find_if(lines.begin() + section->begin, end,
        [&](const std::string& text) { return isValueOf(text, option.name()); });
    if (line == end)
        lines.insert(end, value);
    else if (experiment.isChanged(option.key))
        *line = value + commentOf(*line);
    else
        lines.erase(line);
}

/// @p toml with @p options set to their values in @p experiment, or the whole text regenerated.
std::string edited(std::string_view toml, const std::vector<const Option*>& options, const Experiment& experiment, const std::filesystem::path& baseFolder)
{
    Lines lines = split(toml);
    for (const Option* option : options)
        edit(lines, *option, experiment);
    std::string text = join(lines);
    const auto readBack = parseExperiment(text, baseFolder);
    if (readBack.problems.empty() && readBack.experiment == experiment)
        return text;
    return experiment.toToml(Experiment::Write::ChangedOnly);
}

}  // namespace

std::string withValue(std::string_view toml, std::string_view key, const Experiment& experiment, const std::filesystem::path& baseFolder)
{
    return edited(toml, {findOption(key)}, experiment, baseFolder);
}

std::string withValuesOf(std::string_view toml, const Experiment& experiment, const std::filesystem::path& baseFolder)
{
    const std::vector<const Option*> differing = differingOptions(parseExperiment(toml, baseFolder).experiment, experiment);
    return differing.empty() ? std::string(toml) : edited(toml, differing, experiment, baseFolder);
}

}  // namespace contract

#include "engine/contract/experiment/toml_text.h"

#include "engine/contract/experiment/options.h"
#include "engine/contract/experiment/toml_guard.h"
#include "engine/contract/formats/text.h"

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

void edit(Lines& lines, const Option& option, const std::string& value, bool isChanged)
{
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
    else if (isChanged)
        *line = value + commentOf(*line);
    else
        lines.erase(line);
}

/// Offset in bytes of a place that toml++ counts in lines and characters, from 1.
std::size_t offsetOf(std::string_view text, const toml::source_position& place)
{
    std::size_t at = 0;
    for (toml::source_index line = 1; line < place.line && at < text.size(); ++line)
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
        do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    }
    return at;
}

/// The text with the option's value in the place where TOML has it, in whatever form: a dotted key, a quoted one, an inline table.
std::string withValueInPlace(std::string_view text, const Option& option, const std::string& line)
{
    const toml::parse_result parsed = toml::parse(text);
    const std::string value = line.substr(line.find('=') + 2);
    std::string edited(text);
    const auto replace = [&](std::size_t begin, std::size_t end, const std::string& by) { edited.replace(begin, end - begin, by); };
    const toml::node_view<const toml::node> node = parsed.table().at_path(option.key);
    const toml::table* const group = parsed.table().at_path(option.group()).as_table();
    if (node) {
        const toml::source_region& place = node.node()->source();
        replace(offsetOf(text, place.begin), offsetOf(text, place.end), value);
    } else if (group && group->is_inline()) {
        const std::size_t brace = text.rfind('}', offsetOf(text, group->source().end) - 1);
        replace(brace, brace, (group->empty() ? " " : ", ") + line + " ");
    } else {
        Lines lines = split(text);
        lines.insert(std::ranges::find_if(lines, isHeader), std::string(option.group()) + "." + line);
        return join(lines);
    }
    return edited;
}

bool isSameProblem(const Problem& one, const Problem& other) { return one.key == other.key && one.message == other.message; }

/// Whether @p text has the experiment and, but for @p key, the problems that are wanted.
bool reads(const std::string& text, const ParsedExperiment& wanted, std::string_view key, const std::filesystem::path& baseFolder)
{
    ParsedExperiment read = parseExperiment(text, baseFolder);
    std::vector<Problem> others = wanted.problems;
    std::erase_if(others, [&](const Problem& problem) { return problem.key == key; });
    std::ranges::stable_sort(others, {}, &Problem::message);
    std::ranges::stable_sort(read.problems, {}, &Problem::message);
    return read.isReadable && read.experiment == wanted.experiment && std::ranges::equal(read.problems, others, isSameProblem);
}

}  // namespace

std::optional<std::string> withValue(
    std::string_view toml, std::string_view key, const Experiment& experiment, const std::filesystem::path& baseFolder)
{
    ParsedExperiment wanted = parseExperiment(toml, baseFolder);
    if (!wanted.isReadable)
        return std::nullopt;
    wanted.experiment.set(key, experiment.value(key));
    const Option& option = *findOption(key);
    const std::string line = valueLine(option, experiment);
    Lines lines = split(toml);
    edit(lines, option, line, experiment.isChanged(key));
    std::string text = join(lines);
    if (reads(text, wanted, key, baseFolder))
        return text;
    text = withValueInPlace(toml, option, line);
    return reads(text, wanted, key, baseFolder) ? std::optional(text) : std::nullopt;
}

std::string withValuesOf(std::string_view toml, const Experiment& experiment, const std::filesystem::path& baseFolder)
{
    std::string text(toml);
    for (const Option* option : differingOptions(parseExperiment(toml, baseFolder).experiment, experiment)) {
        const auto edited = withValue(text, option->key, experiment, baseFolder);
        if (!edited)
            return experiment.toToml(Experiment::Write::ChangedOnly);
        text = *edited;
    }
    return text;
}

}  // namespace contract

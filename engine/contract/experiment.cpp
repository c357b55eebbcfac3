#include "engine/contract/experiment.h"

#include "engine/contract/text.h"
#include "engine/contract/toml_guard.h"

// Damaged files reach assertions of toml++ 3.3 (behind which it reports an error, as it should); with NDEBUG
// it would even tell the compiler to take them for granted. Here they do neither.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace contract {
namespace {

/// @p text, cut where it is longer than anybody would read.
std::string shortened(std::string_view text)
{
    constexpr std::size_t kLongest = 200;
    return text.size() <= kLongest ? std::string(text) : std::string(text.substr(0, kLongest)) + "…";
}

std::string shown(const OptionValue& value)
{
    return std::holds_alternative<std::string>(value) ? inQuotes(std::get<std::string>(value))
                                                      : toText(value);
}

Problem problemWith(const Option& option, std::string_view shownValue)
{
    return {std::string(option.key),
        std::string(option.key) + " = " + shortened(shownValue) + ": must be "
            + describeRange(option),
        0};
}

Problem unknownKey(std::string_view key)
{
    std::string message = "unknown key " + shortened(key);
    const std::string_view nearest = nearestKey(key);
    message += nearest.empty() ? "; `atelier options` lists all keys"
                               : "; did you mean " + std::string(nearest) + "?";
    return {std::string(key), message, 0};
}

std::optional<OptionValue> acceptedChoice(const Option& option, const OptionValue& value)
{
    if (!std::holds_alternative<std::string>(value) && !std::holds_alternative<std::int64_t>(value))
        return std::nullopt;
    std::string text = toText(value);
    if (const auto other = std::ranges::find(option.spellings, text, &Spelling::written); other != option.spellings.end())
        text = other->choice;
    if (std::ranges::find(option.choices, text) == option.choices.end())
        return std::nullopt;
    return text;
}

/// The value in the option's own type, or nothing when it does not fit.
std::optional<OptionValue> accepted(const Option& option, const OptionValue& value)
{
    const auto inRange = [&](double number) {
        return number >= option.minimum && number <= option.maximum;
    };
    switch (option.type) {
    case OptionType::Boolean:
        if (std::holds_alternative<bool>(value))
            return value;
        break;
    case OptionType::Integer:
        if (const auto* number = std::get_if<std::int64_t>(&value);
            number && inRange(static_cast<double>(*number)))
            return value;
        break;
    case OptionType::Real: {
        const auto* integer = std::get_if<std::int64_t>(&value);
        const auto* real = std::get_if<double>(&value);
        if (!integer && !real)
            break;
        const double number = integer ? static_cast<double>(*integer) : *real;
        if (std::isfinite(number) && inRange(number))
            return number;
        break;
    }
    case OptionType::Choice:
        return acceptedChoice(option, value);
    case OptionType::Text:
    case OptionType::FilePath:
    case OptionType::FolderPath:
        if (const auto* text = std::get_if<std::string>(&value);
            text && text->find('\0') == std::string::npos && isUtf8(*text))
            return value;
        break;
    }
    return std::nullopt;
}

std::optional<OptionValue> readText(const Option& option, std::string_view text)
{
    switch (option.type) {
    case OptionType::Boolean:
        if (text == "true" || text == "false")
            return text == "true";
        return std::nullopt;
    case OptionType::Integer:
        if (const auto number = parseInteger(text))
            return *number;
        return std::nullopt;
    case OptionType::Real:
        if (const auto number = parseReal(text))
            return *number;
        return std::nullopt;
    default:
        return std::string(text);
    }
}

std::optional<OptionValue> scalar(const toml::node& node)
{
    if (const auto* flag = node.as_boolean())
        return flag->get();
    if (const auto* integer = node.as_integer())
        return integer->get();
    if (const auto* real = node.as_floating_point())
        return real->get();
    if (const auto* text = node.as_string())
        return text->get();
    return std::nullopt;
}

class Reader {
public:
    Reader(ParsedExperiment& result, const std::filesystem::path& baseFolder)
        : m_result(result)
        , m_baseFolder(baseFolder)
    {
    }

    void read(const toml::table& table, const std::string& prefix)
    {
        for (const auto& [name, node] : table) {
            const std::string key = prefix + std::string(name.str());
            const int line = static_cast<int>(node.source().begin.line);
            const auto* group = node.as_table();
            if (group && std::ranges::count(key, '.') < kDeepestGroup)
                read(*group, key + '.');
            else if (auto problem = take(key, node)) {
                problem->line = line;
                m_result.problems.push_back(std::move(*problem));
            }
        }
    }

private:
    static constexpr int kDeepestGroup = 4;  // ours have one level

    std::optional<Problem> take(const std::string& key, const toml::node& node)
    {
        const Option* option = findOption(key);
        if (!option)
            return unknownKey(key);
        auto value = scalar(node);
        if (!value)
            return problemWith(*option,
                node.is_array()       ? "a list"
                    : node.is_table() ? "a group"
                                      : "a date");
        auto* path = std::get_if<std::string>(&*value);
        if (isPath(option->type) && path && !path->empty())
            *path = (m_baseFolder / *path).lexically_normal().string();
        return m_result.experiment.set(key, *value);
    }

    ParsedExperiment& m_result;
    const std::filesystem::path& m_baseFolder;
};

}  // namespace

Experiment::Experiment()
{
    m_values.reserve(options().size());
    for (const Option& option : options())
        m_values.push_back(option.defaultValue);
}

std::size_t Experiment::indexOf(std::string_view key) const
{
    const Option* option = findOption(key);
    if (!option)
        throw std::logic_error("no such option: " + std::string(key));
    return static_cast<std::size_t>(option - options().data());
}

const OptionValue& Experiment::value(std::string_view key) const { return m_values[indexOf(key)]; }

template <typename T>
static const T& as(const OptionValue& value, std::string_view key)
{
    if (const T* typed = std::get_if<T>(&value))
        return *typed;
    throw std::logic_error("option asked for by another type: " + std::string(key));
}

bool Experiment::boolean(std::string_view key) const { return as<bool>(value(key), key); }
std::int64_t Experiment::integer(std::string_view key) const { return as<std::int64_t>(value(key), key); }
double Experiment::real(std::string_view key) const { return as<double>(value(key), key); }
const std::string& Experiment::text(std::string_view key) const
{
    return as<std::string>(value(key), key);
}

bool Experiment::isChanged(std::string_view key) const
{
    const std::size_t index = indexOf(key);
    return m_values[index] != options()[index].defaultValue;
}

std::optional<Problem> Experiment::set(std::string_view key, const OptionValue& newValue)
{
    const Option* option = findOption(key);
    if (!option)
        return unknownKey(key);
    auto fitting = accepted(*option, newValue);
    if (!fitting)
        return problemWith(*option, shown(newValue));
    m_values[indexOf(key)] = std::move(*fitting);
    return std::nullopt;
}

std::optional<Problem> Experiment::setText(std::string_view key, std::string_view text)
{
    const Option* option = findOption(key);
    if (!option)
        return unknownKey(key);
    const auto read = readText(*option, text);
    return read ? set(key, *read) : std::optional(problemWith(*option, inQuotes(text)));
}

void Experiment::reset(std::string_view key)
{
    const std::size_t index = indexOf(key);
    m_values[index] = options()[index].defaultValue;
}

std::string Experiment::toToml(Write what) const
{
    std::string out;
    std::string_view group;
    for (const Option& option : options()) {
        if (what == Write::ChangedOnly && !isChanged(option.key))
            continue;
        if (option.group() != group) {
            group = option.group();
            out.append(out.empty() ? "[" : "\n[").append(group).append("]\n");
        }
        std::string text = shown(value(option.key));
        const bool looksInteger = text.find_first_of(".en") == std::string::npos;
        if (option.type == OptionType::Real && looksInteger)
            text += ".0";
        out.append(option.name()).append(" = ").append(text).append("\n");
    }
    return out;
}

ParsedExperiment parseExperiment(std::string_view toml, const std::filesystem::path& baseFolder)
{
    ParsedExperiment result;
    if (auto problem = unparsable(toml)) {
        result.problems.push_back(std::move(*problem));
        return result;
    }
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        result.problems.push_back({"", "not TOML: " + std::string(parsed.error().description()),
            static_cast<int>(parsed.error().source().begin.line)});
        return result;
    }
    Reader(result, baseFolder).read(parsed.table(), "");
    std::ranges::stable_sort(result.problems, {}, &Problem::line);
    return result;
}

ParsedExperiment loadExperiment(const std::filesystem::path& file)
{
    constexpr std::uintmax_t kLargest = 16 << 20;
    const auto failed = [&](const std::string& why) {
        ParsedExperiment result;
        result.problems.push_back({"", file.string() + ": " + why, 0});
        return result;
    };
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        return failed("is a folder, not an experiment file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return failed(std::strerror(errno));
    if (std::filesystem::file_size(file, error) > kLargest && !error)
        return failed("too large for an experiment file (over 16 MiB)");
    std::ostringstream content;
    content << stream.rdbuf();
    return parseExperiment(content.str(), std::filesystem::absolute(file).parent_path());
}

}  // namespace contract

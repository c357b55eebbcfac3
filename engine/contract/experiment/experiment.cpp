#include "engine/contract/experiment/experiment.h"

#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/experiment/toml_guard.h"
#include "engine/contract/experiment/unsupported_options.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace contract {
namespace {

/// The value as it is written in TOML.
std::string tomlText(const OptionValue& value)
{
    return std::holds_alternative<std::string>(value) ? inQuotes(std::get<std::string>(value))
                                                      : toText(value);
}

Problem problemWith(const Option& option, std::string_view valueText)
{
    return {std::string(option.key),
        std::string(option.key) + " = " + shortened(valueText) + ": must be "
            + describeRange(option),
        0};
}

/// Returns the problem with a key that is not an option; nullopt when isAlwaysSo().
std::optional<Problem> undeclaredKey(std::string_view key, std::string_view valueText)
{
    if (isAlwaysSo(key, valueText))
        return std::nullopt;
    if (const std::string_view reason = whyUnsupported(key); !reason.empty())
        return Problem {std::string(key),
            escapedBytes(shortened(key)) + " = " + shortened(valueText) + " is not supported: " + std::string(reason), 0};
    std::string message = "unknown key " + escapedBytes(shortened(key));
    const std::string_view nearest = nearestKey(key);
    message += nearest.empty() ? "; `atelier options` lists all keys"
                               : "; did you mean " + std::string(nearest) + "?";
    return Problem {std::string(key), message, 0};
}

/// The choice that the value names, or nullopt; integers count as their digits.
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

/// The value in the option's own type, or nullopt when it has the wrong type or is out of range.
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

/// Parses text in the option's type, without checking its range.
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

/// The value of a TOML node; nullopt for lists, tables and dates.
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

/// Copies values from TOML tables into an experiment and collects the problems.
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
            else if (!findOption(key) && ++m_undeclared > kMostUndeclared)
                m_firstUnnamed = std::min(m_firstUnnamed, line);
            else if (auto problem = readValue(key, node)) {
                problem->line = line;
                m_result.problems.push_back(std::move(*problem));
            }
        }
    }

    /// Call after read(): adds one problem for all the keys that are no options beyond the first few.
    void finish()
    {
        if (m_undeclared > kMostUndeclared)
            m_result.problems.push_back({"unknown keys",
                std::to_string(m_undeclared - kMostUndeclared) + " more keys are unknown; `atelier options` lists all keys", m_firstUnnamed});
    }

private:
    static constexpr int kDeepestGroup = 4;  // more than any declared key; bounds the recursion
    static constexpr int kMostUndeclared = 10;  // named one by one

    std::optional<Problem> readValue(const std::string& key, const toml::node& node)
    {
        auto value = scalar(node);
        const std::string text = value ? tomlText(*value) : node.is_array() ? "a list" : node.is_table() ? "a group" : "a date";
        const Option* option = findOption(key);
        if (!option)
            return undeclaredKey(key, text);
        if (!value)
            return problemWith(*option, text);
        if (auto* paths = std::get_if<std::string>(&*value); paths && hasPaths(*option))
            *paths = withAbsolutePaths(*option, *paths, m_baseFolder);
        return m_result.experiment.set(key, *value);
    }

    ParsedExperiment& m_result;
    const std::filesystem::path& m_baseFolder;
    int m_undeclared = 0;
    int m_firstUnnamed = std::numeric_limits<int>::max();  ///< line
};

}  // namespace

bool hasPaths(const Option& option) { return isPath(option.type) || option.key == kRewardFunctions; }

std::string withAbsolutePaths(const Option& option, const std::string& value, const std::filesystem::path& folder)
{
    if (option.key == kRewardFunctions)
        return withAbsoluteRewardPaths(value, folder);
    return value.empty() ? value : (folder / value).lexically_normal().string();
}

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
    throw std::logic_error("option read as another type than it has: " + std::string(key));
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
        return undeclaredKey(key, tomlText(newValue));
    auto acceptedValue = accepted(*option, newValue);
    if (!acceptedValue)
        return problemWith(*option, tomlText(newValue));
    m_values[indexOf(key)] = std::move(*acceptedValue);
    return std::nullopt;
}

std::optional<Problem> Experiment::setText(std::string_view key, std::string_view text)
{
    const Option* option = findOption(key);
    if (!option)
        return undeclaredKey(key, text);
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
        std::string text = tomlText(value(option.key));
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
    if (auto problem = findUnparsable(toml)) {
        result.problems.push_back(std::move(*problem));
        result.isReadable = false;
        return result;
    }
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        result.problems.push_back({"", "not TOML: " + escapedBytes(shortened(parsed.error().description())),
            static_cast<int>(parsed.error().source().begin.line)});
        result.isReadable = false;
        return result;
    }
    Reader reader(result, baseFolder);
    reader.read(parsed.table(), "");
    reader.finish();
    std::ranges::stable_sort(result.problems, {}, &Problem::line);
    return result;
}

std::vector<const Option*> differingOptions(const Experiment& one, const Experiment& other)
{
    std::vector<const Option*> differing;
    for (const Option& option : options()) {
        if (one.value(option.key) != other.value(option.key))
            differing.push_back(&option);
    }
    return differing;
}

ParsedExperiment loadExperiment(const std::filesystem::path& file)
{
    constexpr std::uint64_t kMaxBytes = 16 << 20;
    std::error_code error;
    ParsedExperiment unread;
    try {
        if (std::filesystem::is_directory(file, error))
            throw std::runtime_error(file.string() + ": is a folder, not an experiment file");
        const std::string content = fileContent(file, kMaxBytes);
        return parseExperiment(content, std::filesystem::absolute(file).parent_path());
    } catch (const std::runtime_error& failure) {
        unread.problems.push_back({"", failure.what(), 0});
        unread.isReadable = false;
        return unread;
    }
}

}  // namespace contract

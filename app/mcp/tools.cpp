#include "app/mcp/tools.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace app {
namespace {

using Use = ToolArgument::Use;

constexpr std::size_t kLongestText = 20'000;  // bytes of an argument
constexpr std::size_t kMostItems = 1000;

bool isText(const Json& value)
{
    return value.is_string() && value.get_ref<const std::string&>().size() <= kLongestText
        && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

/// What @p value must be, when it is not; empty otherwise.
std::string mismatch(const Json& schema, const Json& value)
{
    const std::string type = schema["type"];
    if (type == "string" && !isText(value))
        return "a text of at most " + std::to_string(kLongestText) + " bytes";
    if (type == "string" && schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end())
        return "one of " + contract::jsonText(schema["enum"]);
    if (type == "boolean" && !value.is_boolean())
        return "true or false";
    if (type == "integer") {
        const auto minimum = schema["minimum"].get<std::int64_t>(), maximum = schema["maximum"].get<std::int64_t>();
        const bool isInRange = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(maximum) && value.get<std::int64_t>() >= minimum
                                                          : value.is_number_integer() && value.get<std::int64_t>() >= minimum && value.get<std::int64_t>() <= maximum;
        if (!isInRange)
            return "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum);
    }
    if (type == "array" && (!value.is_array() || value.empty() || value.size() > kMostItems || !std::ranges::all_of(value, isText)))
        return "a list of 1 to " + std::to_string(kMostItems) + " texts";
    if (type == "object") {
        const auto isScalar = [](const Json& each) { return isText(each) || each.is_number() || each.is_boolean(); };
        if (!value.is_object() || value.size() > kMostItems || !std::ranges::all_of(value, isScalar))
            return "an object of texts, numbers and booleans";
        for (const auto& [key, each] : value.items()) {
            if (key.empty() || key.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
                return "an object whose keys are options";
        }
    }
    return {};
}

std::string scalarText(const Json& value) { return value.is_string() ? value.get<std::string>() : contract::jsonText(value); }

void addOption(std::vector<std::string>& line, const std::string& option, const std::string& value)
{
    if (value.empty())  // behind "=" nothing would be taken for no value
        line.insert(line.end(), {option, value});
    else
        line.push_back(option + "=" + value);
}

/// The option for the word that was chosen; empty when it has none.
std::string optionChosen(std::string_view choices, const std::string& word)
{
    for (std::size_t begin = 0; begin < choices.size();) {
        const std::size_t end = std::min(choices.find(' ', begin), choices.size());
        const std::string_view each = choices.substr(begin, end - begin);
        if (each.starts_with(word + "="))
            return std::string(each.substr(word.size() + 1));
        begin = end + 1;
    }
    return {};
}

}  // namespace

const std::vector<Tool>& allTools()
{
    static const std::vector<Tool> tools = [] {
        std::vector<Tool> all = readingTools();
        std::ranges::move(actingTools(), std::back_inserter(all));
        return all;
    }();
    return tools;
}

Json definitionOf(const Tool& tool)
{
    Json properties = Json::object(), required = Json::array();
    for (const ToolArgument& argument : tool.arguments) {
        properties[argument.name] = argument.schema;
        if (argument.isRequired)
            required.push_back(argument.name);
    }
    Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty())
        schema["required"] = required;
    return {{"name", tool.name}, {"description", tool.description}, {"inputSchema", schema},
        {"annotations", {{"readOnlyHint", !tool.isActing}, {"destructiveHint", tool.isDestructive}, {"openWorldHint", false}}}};
}

std::string problemWith(const Tool& tool, const Json& arguments)
{
    if (!arguments.is_object())
        return "the arguments of " + tool.name + " must be an object";
    for (const auto& [name, value] : arguments.items()) {
        if (std::ranges::find(tool.arguments, name, &ToolArgument::name) == tool.arguments.end())
            return tool.name + " has no argument " + contract::inQuotes(contract::shortened(name));
    }
    for (const ToolArgument& argument : tool.arguments) {
        const auto value = arguments.find(argument.name);
        if (value == arguments.end()) {
            if (argument.isRequired)
                return tool.name + " needs the argument " + contract::inQuotes(argument.name);
        } else if (const std::string expected = mismatch(argument.schema, *value); !expected.empty()) {
            return "the argument " + contract::inQuotes(argument.name) + " of " + tool.name + " must be " + expected;
        }
    }
    return {};
}

std::vector<std::string> commandLineOf(const Tool& tool, const Json& arguments)
{
    std::vector<std::string> line = tool.command, positional;
    for (const ToolArgument& argument : tool.arguments) {
        const Json value = arguments.value(argument.name, Json());
        const std::vector<Json> values = value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json> {value};
        if (argument.use == Use::Choice) {  // "false" when it is not given
            const std::string option = optionChosen(argument.flag, value.is_null() ? "false" : scalarText(value));
            line.insert(line.end(), option.empty() ? 0 : 1, option);
        }
        if (value.is_null())
            continue;
        if (argument.use == Use::Flag && value.get<bool>())
            line.push_back(argument.flag);
        for (const Json& each : values) {
            if (argument.use == Use::Positional)
                positional.push_back(scalarText(each));
            else if (argument.use == Use::Option)
                addOption(line, argument.flag, scalarText(each));
        }
        if (argument.use == Use::Settings) {
            for (const auto& [key, each] : value.items())
                line.push_back(argument.flag + "=" + key + "=" + scalarText(each));
        }
    }
    // Behind "--" nothing is an option, whatever it begins with.
    if (!positional.empty())
        line.emplace_back("--");
    line.insert(line.end(), positional.begin(), positional.end());
    return line;
}

}  // namespace app

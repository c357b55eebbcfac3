// atelier options
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/experiment/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

namespace app {
namespace {

std::string_view typeName(contract::OptionType type)
{
    switch (type) {
    case contract::OptionType::Boolean:
        return "boolean";
    case contract::OptionType::Integer:
        return "integer";
    case contract::OptionType::Real:
        return "real";
    case contract::OptionType::Text:
        return "text";
    case contract::OptionType::Choice:
        return "choice";
    case contract::OptionType::FilePath:
        return "file";
    case contract::OptionType::FolderPath:
        return "folder";
    }
    return "";
}

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json optionJson(const contract::Option& option)
{
    Json json {{"key", option.key}, {"label", option.label}, {"type", typeName(option.type)}};
    std::visit([&](const auto& value) { json["default"] = value; }, option.defaultValue);
    json["range"] = contract::describeRange(option);
    json["minimum"] = bound(option.minimum);
    json["maximum"] = bound(option.maximum);
    json["choices"] = option.choices;
    json["unit"] = option.unit;
    json["meaning"] = option.help;
    json["applies_to"] = option.appliesTo;
    json["advanced"] = option.isAdvanced;
    return json;
}

std::string optionText(const contract::Option& option)
{
    const std::string value = contract::toText(option.defaultValue);
    std::string text = std::string(option.key) + " = " + (value.empty() ? "(empty)" : value);
    text += option.unit.empty() ? "" : " " + std::string(option.unit);
    text += "\n    " + std::string(option.help) + ".\n    " + contract::describeRange(option);
    return text + (option.appliesTo.empty() ? "" : "; only with " + std::string(option.appliesTo)) + "\n";
}

struct OptionsRequest {
    std::string search;
    bool isJson = false;
};

/// Whether key, label or meaning contains @p text; case does not matter.
bool matches(const contract::Option& option, const std::string& text)
{
    const auto isSame = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); };
    return std::ranges::any_of(std::array<std::string_view, 3> {option.key, option.label, option.help},
        [&](std::string_view part) { return std::ranges::search(part, text, isSame).begin() != part.end() || text.empty(); });
}

ExitCode options(const OptionsRequest& request)
{
    Json list = Json::array();
    std::string text;
    std::string_view group;
    for (const contract::Option& option : contract::options()) {
        if (!matches(option, request.search))
            continue;
        list.push_back(optionJson(option));
        if (option.group() != group)
            text += (group.empty() ? "[" : "\n[") + std::string(option.group()) + "]\n";
        group = option.group();
        text += optionText(option);
    }
    if (request.isJson)
        printJson(list);
    else
        printText(text.empty() ? "No option matches.\n" : text);
    return kSuccess;
}

}  // namespace

void addOptionsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<OptionsRequest>();
    CLI::App* command = app.add_subcommand(
        "options", "List every option of an experiment with default, unit, range and meaning");
    command->add_option("--search", request->search, "Only options whose key, label or meaning contains this text")->type_name("TEXT");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return options(*request); }; });
}

}  // namespace app

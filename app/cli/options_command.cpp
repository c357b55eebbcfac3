// atelier options
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/experiment/options.h"

#include <cmath>
#include <memory>

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

ExitCode options(bool isJson)
{
    Json list = Json::array();
    std::string text;
    std::string_view group;
    for (const contract::Option& option : contract::options()) {
        list.push_back(optionJson(option));
        if (option.group() != group)
            text += (group.empty() ? "[" : "\n[") + std::string(option.group()) + "]\n";
        group = option.group();
        text += optionText(option);
    }
    if (isJson)
        printJson(list);
    else
        printText(text);
    return kSuccess;
}

}  // namespace

void addOptionsCommand(CLI::App& app, Action& action)
{
    const auto isJson = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand(
        "options", "List every option of an experiment with default, unit, range and meaning");
    command->add_flag("--json", *isJson, "Print one JSON document");
    command->callback([isJson, &action] { action = [isJson] { return options(*isJson); }; });
}

}  // namespace app

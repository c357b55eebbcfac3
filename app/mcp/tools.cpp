#include "app/mcp/tools.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace app {
namespace {

using Use = ToolArgument::Use;

constexpr std::size_t kLongestText = 20'000;  // bytes of an argument
constexpr std::size_t kMostItems = 1000;

Json text(const char* description) { return {{"type", "string"}, {"description", description}}; }
Json texts(const char* description)
{
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}, {"description", description}};
}
Json yesNo(const char* description) { return {{"type", "boolean"}, {"description", description}}; }
Json integer(const char* description, std::int64_t minimum, std::int64_t maximum)
{
    return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}, {"description", description}};
}
Json choice(const char* description, std::vector<std::string> words)
{
    return {{"type", "string"}, {"enum", std::move(words)}, {"description", description}};
}

ToolArgument run() { return {"run", Use::Positional, "", text("Id, start of an id, name, or \"latest\""), true}; }
ToolArgument runs() { return {"runs", Use::Positional, "", texts("Ids, starts of ids, names, or \"latest\""), true}; }
ToolArgument settings()
{
    return {"settings", Use::Settings, "--set",
        {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}},
            {"description", "Options of the experiment to change, such as {\"optim.lr\": 1e-4}; list_options names them"}}};
}
ToolArgument queued() { return {"queue", Use::Choice, "true=--queue false=--detach", yesNo("Start when its turn in the queue has come, not now")}; }
ToolArgument step(const char* name, const char* flag, const char* description)
{
    return {name, Use::Option, flag, integer(description, 0, INT64_MAX)};
}

std::vector<Tool> readingTools()
{
    return {
        {"list_runs", "List training runs, newest first: id, name, project, tags, state, step, last loss. The state comes from the run's processes and files.",
            {"list", "--json"},
            {{"filter", Use::Option, "--filter",
                 text("Typed filter, such as: loss < 0.2 and tag:lora; state:failed; optim.lr >= 1e-4 or min(loss) < 0.1; a word is looked for in name, tags and note")},
                {"limit", Use::Option, "--number", integer("Most runs to list; default 50", 1, 10'000)},
                {"include_archived", Use::Flag, "--all", yesNo("List archived runs, too")}}},
        {"show_run", "Show a run: state and cause, attempts, every option, the last value of each metric, checkpoints and the last events.",
            {"show", "--json", "--events", "100"}, {run()}, false, false, {"samples"}},
        {"report_failure", "What went wrong in a run that failed: which rank went first and how, its memory and last log lines, and what the other ranks did.",
            {"report", "--json"}, {run(), {"attempt", Use::Option, "--attempt", integer("This attempt instead of the last one that failed", 1, 1'000'000)}}},
        {"get_metrics",
            "Values of a run's metrics; without metrics, their names. Series of more than `points` values are summarised by their lowest, highest and last "
            "value over consecutive steps, which \"exact\": false says; ask for fewer steps or for exact values to see each.",
            {"metrics", "--json"},
            {run(), {"metrics", Use::Positional, "", texts("Names, such as loss, grad_norm, validation/loss")},
                {"rank", Use::Option, "--rank", integer("Of this rank; otherwise of the lowest that has the metric", 0, 1'000'000)},
                step("first_step", "--from", "From this step on"), step("last_step", "--to", "To this step"),
                {"points", Use::Option, "--points", integer("Default 200", 8, 10'000)},
                {"exact", Use::Flag, "--exact", yesNo("Every value; choose a range of steps for long runs")}}},
        {"compare_runs", "What differs between runs: options, and metrics by their last, lowest and highest value and at the last common step, with differences from the first run.",
            {"compare", "--json"},
            {runs(), {"ignore", Use::Option, "--ignore", texts("Options or metrics to leave out; * stands for any characters")},
                {"include_equal", Use::Flag, "--all", yesNo("Show what is equal, too")}}},
        {"read_logs", "The last lines of a run's logs, those of all ranks merged by time, or those that match a search.", {"logs", "--json"},
            {run(), {"rank", Use::Option, "--rank", integer("Only this rank; -1: the supervisor", -1, 1'000'000)},
                {"lines", Use::Option, "--lines", integer("Default 100", 1, 5000)},
                {"level", Use::Option, "--level", choice("Only lines of this level or a graver one", {"debug", "info", "warning", "error"})},
                {"search", Use::Option, "--search", text("Only lines that contain this text")},
                {"regex", Use::Flag, "--regex", yesNo("The text is a regular expression")}}},
        {"list_checkpoints", "A run's checkpoints: step, size, metrics at that step, pinned or damaged.", {"checkpoints", "list", "--json"}, {run()}},
        {"list_samples", "The images that a run has drawn: step, prompt, seed, guidance, file.", {"samples", "--json"},
            {run(), step("step", "--step", "Only those of this step"), {"prompt", Use::Option, "--prompt", text("Only those whose prompt contains this text")},
                {"limit", Use::Option, "--number", integer("The last ones", 1, 1000)}}},
        {"get_sample", "A sample image of a run, to look at.", {},
            {{"run", Use::Own, "", run().schema, true}, {"file", Use::Own, "", text("\"file\" as list_samples says it"), true}}},
        {"list_queue", "The queue: what waits, in which order and for what.", {"queue", "list", "--json"}, {}},
        {"list_options", "The options of experiments: key, type, default, range and meaning.", {"options", "--json"},
            {{"search", Use::Option, "--search", text("Only options whose key, label or meaning contains this text"), true}}},
    };
}

std::vector<Tool> actingTools()
{
    std::vector<Tool> tools = {
        {"start_run", "Start an experiment in the background.", {"run", "--json"},
            {{"experiment", Use::Positional, "", text("A ready experiment (digits, emoji, digits-flow-grpo …) or the path of a TOML file"), true},
                {"name", Use::Option, "--name", text("Name of the run")}, settings(), queued()}},
        {"resume_run", "Continue a run from a checkpoint, in the background.", {"resume", "--json"},
            {run(), step("from_step", "--from", "Step of the checkpoint; the latest otherwise"), settings(), queued()}},
        {"stop_run", "Stop a run.", {"stop"},
            {run(),
                {"how", Use::Choice, "now=--now kill=--kill",
                    choice("checkpoint (default): after this step, with a checkpoint; now: without one; kill: every rank at once", {"checkpoint", "now", "kill"})}},
            false, true},
        {"write_checkpoint", "Make a run write a checkpoint after this step.", {"checkpoint"}, {run()}},
        {"draw_samples", "Make a run draw its sample images after this step.", {"sample"}, {run()}},
        {"rename_run", "Give a run another name.", {"rename"}, {run(), {"name", Use::Positional, "", text("The new name"), true}}},
        {"tag_runs", "Add tags to runs, or remove them.", {"tag"},
            {runs(), {"add", Use::Option, "--add", texts("Tags to add")}, {"remove", Use::Option, "--remove", texts("Tags to remove")}}},
        {"set_project", "Give runs another project.", {"project"}, {runs(), {"project", Use::Option, "--to", text("The project"), true}}},
        {"set_note", "Write a note about runs, in place of the one before.", {"note"}, {runs(), {"note", Use::Option, "--text", text("The note"), true}}, false, true},
        {"archive_runs", "Hide runs from lists, or show them again.", {"archive"}, {runs(), {"restore", Use::Flag, "--restore", yesNo("Show them again")}}},
        {"remove_runs", "Move runs to the trash, from which restore_from_trash brings them back.", {"rm", "--yes"}, {runs()}},
        {"restore_from_trash", "Bring runs or checkpoints back from the trash.", {"trash", "restore"},
            {{"names", Use::Positional, "", texts("Ids of runs, or RUN/step-N"), true}}},
        {"hold_queued", "Keep queued runs from starting.", {"queue", "hold"}, {runs()}},
        {"release_queued", "Let held runs start when their turn has come.", {"queue", "release"}, {runs()}},
        {"move_queued", "Change the place of queued runs.", {"queue", "move"}, {runs(), {"place", Use::Option, "--to", integer("The first is 1", 1, 1'000'000), true}}},
        {"remove_queued", "Take runs out of the queue.", {"queue", "remove"}, {runs()}},
    };
    for (Tool& tool : tools)
        tool.isActing = true;
    return tools;
}

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
        return "one of " + schema["enum"].dump();
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

std::string scalarText(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

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

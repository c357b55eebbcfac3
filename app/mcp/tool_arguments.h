// What the definitions of tools are made of: schemas of values, and arguments that several tools have.
#pragma once
#include "app/mcp/tools.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace app::schema {

inline Json text(const char* description) { return {{"type", "string"}, {"description", description}}; }
inline Json texts(const char* description)
{
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}, {"description", description}};
}
inline Json yesNo(const char* description) { return {{"type", "boolean"}, {"description", description}}; }
inline Json integer(const char* description, std::int64_t minimum, std::int64_t maximum)
{
    return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}, {"description", description}};
}
inline Json choice(const char* description, std::vector<std::string> words)
{
    return {{"type", "string"}, {"enum", std::move(words)}, {"description", description}};
}

}  // namespace app::schema

namespace app::argument {

using Use = ToolArgument::Use;

inline ToolArgument run() { return {"run", Use::Positional, "", schema::text("Id, start of an id, name, or \"latest\""), true}; }
inline ToolArgument runs() { return {"runs", Use::Positional, "", schema::texts("Ids, starts of ids, names, or \"latest\""), true}; }
inline ToolArgument experiment()
{
    return {"experiment", Use::Positional, "", schema::text("A ready experiment (digits, emoji, digits-flow-grpo …), a preset, or the path of a TOML file"), true};
}
inline ToolArgument settings()
{
    return {"settings", Use::Settings, "--set",
        {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}},
            {"description", "Options of the experiment to change, such as {\"optim.lr\": 1e-4}; list_options names them"}}};
}
inline ToolArgument queued() { return {"queue", Use::Choice, "true=--queue false=--detach", schema::yesNo("Start when its turn in the queue has come, not now")}; }
inline ToolArgument step(const char* name, const char* flag, const char* description)
{
    return {name, Use::Option, flag, schema::integer(description, 0, INT64_MAX)};
}
inline ToolArgument checkpointStep() { return {"step", Use::Option, "--step", schema::integer("Step of the checkpoint", 0, INT64_MAX), true}; }

}  // namespace app::argument

namespace app {

/// @p tool, whose answer has a list that is given in parts; adds the arguments "limit" and "offset".
inline Tool paged(Tool tool, AnswerList list)
{
    const std::string first = list.isNewestLast ? "the newest" : "the first";
    tool.arguments.push_back({"limit", ToolArgument::Use::Own, "",
        schema::integer(("Most to give; default " + std::to_string(list.usualLimit)).c_str(), 1, 10'000)});
    tool.arguments.push_back({"offset", ToolArgument::Use::Own, "", schema::integer(("Leave out so many, " + first + " ones").c_str(), 0, 1'000'000'000)});
    tool.list = std::move(list);
    return tool;
}

/// @p tool, which may work for hours on large files.
inline Tool patient(Tool tool)
{
    tool.mayTakeLong = true;
    return tool;
}

}  // namespace app

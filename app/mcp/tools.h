// The tools that `atelier mcp` offers: for each a command of `atelier`, and the arguments that it takes.
#pragma once
#include "app/cli/output.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

struct ToolArgument {
    /// Where the value goes on the command line.
    enum class Use {
        Positional,  ///< a text or a list of texts, after all options
        Option,      ///< --flag=value; of a list once for each
        Flag,        ///< `flag` when it is true
        Choice,      ///< `flag` is "word=--option word=--option …": the option of the word chosen, if there is one
        Settings,    ///< an object: --set=key=value for each
        Own,         ///< not of the command line
    };
    std::string name;
    Use use = Use::Option;
    std::string flag;
    Json schema;  ///< JSON Schema with type, description and limits; see problemWith()
    bool isRequired = false;
};

/// A list in the document of a command, of which an answer has a part.
struct AnswerList {
    std::string key = {};  ///< where it stands: in the document or, when that is a list, in each of its elements; empty: the document itself
    std::size_t usualLimit = 50;
    bool isNewestLast = false;  ///< the part is taken from the end
};

struct Tool {
    std::string name;
    std::string description;
    std::vector<std::string> command;  ///< the first words of the command line; empty: answered without a command
    std::vector<ToolArgument> arguments;
    bool isActing = false;       ///< changes runs; offered with --allow-control only
    bool isDestructive = false;  ///< what it does cannot be taken back by another tool
    std::vector<std::string> omitted = {};  ///< keys of the command's JSON document that another tool gives
    std::optional<AnswerList> list = {};
    bool mayTakeLong = false;  ///< more than minutes
};

std::vector<Tool> readingTools();
std::vector<Tool> actingTools();

/// Both, in the order in which they are listed.
const std::vector<Tool>& allTools();

/// The definition for tools/list.
Json definitionOf(const Tool& tool);

/// What is wrong with the arguments of a call, in one sentence; empty when nothing is. Checks names, types, and of the schemas enum,
/// minimum, maximum, minItems, and the types of items.
std::string problemWith(const Tool& tool, const Json& arguments);

/// The command line after the program's name. @param arguments without a problem
std::vector<std::string> commandLineOf(const Tool& tool, const Json& arguments);

}  // namespace app

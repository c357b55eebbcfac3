#include "launcher/remote/served_commands.h"

#include "engine/contract/formats/text.h"
#include "launcher/base/program_path.h"
#include "launcher/remote/protocol.h"
#include "launcher/runs/launch.h"

#include <QList>

#include <algorithm>
#include <span>
#include <utility>

namespace launcher {
namespace {

constexpr int kMostCommands = 8;
constexpr std::size_t kMostWords = 500;
constexpr std::size_t kLongestWord = 4096;  // bytes

/// What follows an option.
enum class Value { None, Number, Name, Path, Setting };
/// What stands without an option.
enum class Operand { None, Input, Run, Runs, Trashed, Preset, PresetAndInput, RunAndInput };

struct ServedOption {
    std::string_view name;
    Value value = Value::None;
};

struct ServedCommand {
    std::vector<std::string_view> words;
    Operand operand;
    std::vector<ServedOption> options;
    CommandEnds ends = CommandEnds::ByItself;
};

/// All commands, of two that begin alike the longer first.
const std::vector<ServedCommand>& servedCommands()
{
    static const std::vector<ServedCommand> commands = {
        {{"resume"}, Operand::Run, {{"--detach"}, {"--json"}, {"--from", Value::Number}, {"--set", Value::Setting}}},
        {{"rm"}, Operand::Runs, {{"--yes"}}},
        {{"run"}, Operand::Input, {{"--detach"}, {"--queue"}, {"--json"}}},
        {{"plan"}, Operand::Input, {{"--json"}, {"--checks"}, {"--trial"}, {"--progress"}}, CommandEnds::WhenCancelled},
        {{"gpus"}, Operand::None, {{"--json"}}, CommandEnds::WhenCancelled},
        {{"queue", "list"}, Operand::None, {{"--json"}}},
        {{"queue", "--plan"}, Operand::None, {{"--json"}}, CommandEnds::WhenCancelled},
        {{"queue", "add"}, Operand::Run, {{"--json"}}},
        {{"queue", "edit"}, Operand::RunAndInput, {{"--json"}}},
        {{"queue", "set"}, Operand::Runs, {{"--json"}, {"--gpus", Value::Number}}},
        {{"queue", "move"}, Operand::Runs, {{"--json"}, {"--to", Value::Number}}},
        {{"queue", "hold"}, Operand::Runs, {{"--json"}}},
        {{"queue", "release"}, Operand::Runs, {{"--json"}}},
        {{"queue", "remove"}, Operand::Runs, {{"--json"}}},
        {{"queue", "start"}, Operand::Runs, {{"--json"}, {"--at-once", Value::Number}, {"--on-error", Value::Name}}},
        {{"presets", "list"}, Operand::None, {{"--json"}}, CommandEnds::WhenCancelled},
        {{"presets", "show"}, Operand::Preset, {{"--json"}}, CommandEnds::WhenCancelled},
        {{"presets", "save"}, Operand::PresetAndInput, {}},
        {{"presets", "rm"}, Operand::Preset, {}},
        {{"trash", "list"}, Operand::None, {{"--json"}}, CommandEnds::WhenCancelled},
        {{"trash", "restore"}, Operand::Trashed, {}},
        {{"trash", "empty"}, Operand::Trashed, {{"--yes"}, {"--json"}}},
        {{"checkpoints", "verify"}, Operand::Run, {{"--step", Value::Number}}, CommandEnds::WhenCancelled},
        {{"checkpoints", "pin"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "unpin"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "remove"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "export"}, Operand::Run,
            {{"--step", Value::Number}, {"--to", Value::Path}, {"--weights", Value::Name}, {"--dtype", Value::Name}, {"--format", Value::Name},
                {"--model", Value::Path}},
            CommandEnds::WhenCancelled},
        {{"checkpoints", "diff"}, Operand::Run,
            {{"--from", Value::Number}, {"--to", Value::Number}, {"--weights", Value::Name}, {"--json"}}, CommandEnds::WhenCancelled}};
    return commands;
}

bool isNumber(std::string_view text)
{
    constexpr std::size_t kMostDigits = 18;
    return !text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, [](char each) { return each >= '0' && each <= '9'; });
}

bool fits(Value value, std::string_view text)
{
    switch (value) {
    case Value::None:
        return false;
    case Value::Number:
        return isNumber(text);
    case Value::Name:
        return !text.empty() && std::ranges::all_of(text, [](char each) { return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9'); });
    case Value::Path:
        return text.starts_with('/');
    case Value::Setting:
        return text.find('=') != std::string_view::npos && !text.starts_with('-');
    }
    return false;
}

bool isRunArgument(std::string_view word) { return isRunName(word) && !word.starts_with('-'); }

/// A name in the trash: of a run, or of a checkpoint, "RUN/step-N" with more behind it.
bool isTrashArgument(std::string_view word)
{
    constexpr std::string_view kStep = "step-";
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos)
        return isRunArgument(word);
    const std::string_view step = word.substr(slash + 1);
    return isRunArgument(word.substr(0, slash)) && step.starts_with(kStep)
        && step.substr(kStep.size()).find_first_not_of("0123456789-") == std::string_view::npos;
}

/// A name, of a run or a preset, and then "-".
bool takesNameAndInput(Operand operand) { return operand == Operand::PresetAndInput || operand == Operand::RunAndInput; }

/// Why @p word cannot stand there without an option; empty when it can.
std::string operandProblem(Operand operand, const std::string& word, std::size_t before)
{
    // The name of a preset is one that a run's folder could have.
    const bool fitsThere = operand == Operand::Input ? word == "-" && before == 0
        : takesNameAndInput(operand)                 ? (before == 0 ? isRunArgument(word) : word == "-" && before == 1)
        : operand == Operand::Preset                 ? isRunArgument(word) && before == 0
        : operand == Operand::Run                    ? isRunArgument(word) && before == 0
        : operand == Operand::Trashed                ? isTrashArgument(word)
                                                     : operand == Operand::Runs && isRunArgument(word);
    return fitsThere ? std::string() : contract::inQuotes(contract::shortened(contract::escapedBytes(word))) + " is not allowed there";
}

std::string optionsProblem(const ServedCommand& command, std::span<const std::string> rest)
{
    std::size_t operands = 0;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (!rest[at].starts_with("--")) {
            if (const std::string problem = operandProblem(command.operand, rest[at], operands++); !problem.empty())
                return problem;
            continue;
        }
        const auto option = std::ranges::find(command.options, rest[at], &ServedOption::name);
        if (option == command.options.end())
            return contract::inQuotes(contract::shortened(contract::escapedBytes(rest[at]))) + " is no option that may be used from another machine";
        if (option->value == Value::None)
            continue;
        if (++at == rest.size() || !fits(option->value, rest[at]))
            return std::string(option->name) + " has no value that may be used from another machine";
    }
    if (command.operand == Operand::Trashed && operands == 0)
        return "a name in the trash is missing";
    if (command.operand == Operand::Preset && operands == 0)
        return "the name of a preset is missing";
    if (operands < (command.operand == Operand::Input ? 1U : takesNameAndInput(command.operand) ? 2U : 0U))
        return "\"-\" is missing, which stands for the experiment";
    return {};
}

bool isKnownWord(const std::string& word)
{
    return std::ranges::any_of(servedCommands(), [&](const ServedCommand& command) { return command.words.front() == word; });
}

std::string commandNames()
{
    std::string names;
    for (const ServedCommand& command : servedCommands()) {
        std::string name;
        for (const std::string_view word : command.words)
            name += (name.empty() ? "" : " ") + std::string(word);
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

/// The command that @p words begin with; nullptr: none.
const ServedCommand* commandOf(const std::vector<std::string>& words)
{
    for (const ServedCommand& command : servedCommands()) {
        if (words.size() >= command.words.size() && std::equal(command.words.begin(), command.words.end(), words.begin()))
            return &command;
    }
    return nullptr;
}

}  // namespace

std::string commandProblem(const std::vector<std::string>& words, std::string_view input)
{
    if (words.empty() || !isKnownWord(words.front()))
        return "\"arguments\" must begin with one of: " + commandNames();
    if (words.size() > kMostWords
        || std::ranges::any_of(words, [](const std::string& word) { return word.size() > kLongestWord || word.find('\0') != std::string::npos || !contract::isUtf8(word); }))
        return "\"arguments\" has too many words, or one that is too long or no text";
    if (input.size() > kMostCommandInput)
        return "the experiment is longer than " + std::to_string(kMostCommandInput) + " bytes";
    const ServedCommand* const command = commandOf(words);
    if (!command)
        return "\"arguments\" must begin with one of: " + commandNames();
    if (!input.empty() && command->operand != Operand::Input && !takesNameAndInput(command->operand))
        return "this command takes no experiment";
    return optionsProblem(*command, std::span(words).subspan(command->words.size()));
}

ServedCommands::~ServedCommands() = default;

bool ServedCommands::isFull() const { return findChildren<ServedProcess*>().size() >= kMostCommands; }

void ServedCommands::execute(std::int64_t id, const std::vector<std::string>& words, const std::string& input, OnProgress onProgress, OnEnd onEnd)
{
    auto* const process = new ServedProcess(id, commandOf(words)->ends, this);
    connect(process, &ServedProcess::progressed, this, std::move(onProgress));
    connect(process, &ServedProcess::ended, this, [process, onEnd = std::move(onEnd)](const CommandEnd& end) {
        process->setParent(nullptr);
        process->deleteLater();
        onEnd(end);
    });
    process->start(words, input);
}

bool ServedCommands::cancel(std::int64_t id)
{
    const QList<ServedProcess*> processes = findChildren<ServedProcess*>();
    const auto found = std::ranges::find(processes, id, &ServedProcess::id);
    return found != processes.end() && (*found)->cancel();
}

}  // namespace launcher

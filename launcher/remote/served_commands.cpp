#include "launcher/remote/served_commands.h"

#include "engine/contract/formats/text.h"
#include "launcher/remote/protocol.h"
#include "launcher/runs/launch.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryFile>

#include <algorithm>
#include <iterator>
#include <memory>
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
enum class Operand { None, Input, Run, Runs };

struct ServedOption {
    std::string_view name;
    Value value = Value::None;
};

struct ServedCommand {
    std::vector<std::string_view> words;
    Operand operand;
    std::vector<ServedOption> options;
};

/// All commands, of two that begin alike the longer first.
const std::vector<ServedCommand>& servedCommands()
{
    static const std::vector<ServedCommand> commands = {
        {{"resume"}, Operand::Run, {{"--detach"}, {"--json"}, {"--from", Value::Number}, {"--set", Value::Setting}}},
        {{"rm"}, Operand::Runs, {{"--yes"}}},
        {{"run"}, Operand::Input, {{"--detach"}, {"--queue"}, {"--json"}}},
        {{"plan"}, Operand::Input, {{"--json"}, {"--checks"}, {"--trial"}}},
        {{"queue", "list"}, Operand::None, {{"--json"}}},
        {{"queue", "add"}, Operand::Run, {{"--json"}}},
        {{"queue", "move"}, Operand::Runs, {{"--json"}, {"--to", Value::Number}}},
        {{"queue", "hold"}, Operand::Runs, {{"--json"}}},
        {{"queue", "release"}, Operand::Runs, {{"--json"}}},
        {{"queue", "remove"}, Operand::Runs, {{"--json"}}},
        {{"queue", "start"}, Operand::Runs, {{"--json"}, {"--at-once", Value::Number}}},
        {{"checkpoints", "verify"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "pin"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "unpin"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "remove"}, Operand::Run, {{"--step", Value::Number}}},
        {{"checkpoints", "export"}, Operand::Run,
            {{"--step", Value::Number}, {"--to", Value::Path}, {"--weights", Value::Name}, {"--dtype", Value::Name}, {"--format", Value::Name},
                {"--model", Value::Path}}},
        {{"checkpoints", "diff"}, Operand::Run,
            {{"--from", Value::Number}, {"--to", Value::Number}, {"--weights", Value::Name}, {"--json"}}}};
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

/// Why @p word cannot stand there without an option; empty when it can.
std::string operandProblem(Operand operand, const std::string& word, std::size_t before)
{
    const bool fitsThere = operand == Operand::Input ? word == "-" && before == 0
        : operand == Operand::Run                    ? isRunArgument(word) && before == 0
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
    if (command.operand == Operand::Input && operands == 0)
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

/// What a command has said of its failure: its errors, or else its last line. @param file the experiment's, which nobody else knows
std::string errorIn(QByteArray text, const QString& file)
{
    if (!file.isEmpty())
        text.replace(file.toUtf8(), "experiment");
    constexpr const char* kPrefix = "error: ";
    std::string errors;
    const QList<QByteArray> lines = text.trimmed().split('\n');
    for (const QByteArray& line : lines) {
        if (line.startsWith(kPrefix))
            errors += (errors.empty() ? "" : "; ") + line.mid(qstrlen(kPrefix)).toStdString();
    }
    return errors.empty() ? lines.back().toStdString() : errors;
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
    for (const ServedCommand& command : servedCommands()) {
        if (words.size() < command.words.size() || !std::equal(command.words.begin(), command.words.end(), words.begin()))
            continue;
        if (!input.empty() && command.operand != Operand::Input)
            return "this command takes no experiment";
        return optionsProblem(command, std::span(words).subspan(command.words.size()));
    }
    return "\"arguments\" must begin with one of: " + commandNames();
}

ServedCommands::~ServedCommands() = default;

bool ServedCommands::isFull() const { return m_running >= kMostCommands; }

void ServedCommands::execute(const std::vector<std::string>& words, const std::string& input, OnEnd onEnd)
{
    ++m_running;
    auto* const process = new QProcess(this);
    const auto output = std::make_shared<std::string>();
    const auto finish = [this, process, output, onEnd = std::move(onEnd)](const std::string& error) {
        process->disconnect(this);
        process->deleteLater();
        --m_running;
        onEnd(error, error.empty() ? *output : std::string());
    };
    QStringList arguments;
    for (const std::string& word : words)
        arguments << QString::fromStdString(word);
    // A file rather than a pipe, since an experiment is read more than once.
    QString experiment;
    if (const auto place = arguments.indexOf(QStringLiteral("-")); place >= 0) {
        auto* const file = new QTemporaryFile(QDir::temp().filePath(QStringLiteral("experiment-XXXXXX.toml")), process);
        if (!file->open() || file->write(input.data(), static_cast<qint64>(input.size())) != static_cast<qint64>(input.size()) || !file->flush()) {
            const std::string problem = file->fileTemplate().toStdString() + " cannot be written: " + file->errorString().toStdString();
            QMetaObject::invokeMethod(this, [finish, problem] { finish(problem); }, Qt::QueuedConnection);
            return;
        }
        experiment = file->fileName();
        arguments[place] = experiment;
    }
    process->setProgram(QString::fromStdString(programPath("atelier")));
    process->setArguments(arguments);
    process->setStandardInputFile(QProcess::nullDevice());
    connect(process, &QProcess::readyReadStandardOutput, this, [process, output, finish] {
        *output += process->readAllStandardOutput().toStdString();
        if (output->size() <= kMostCommandOutput)
            return;
        process->kill();
        finish("the command printed more than " + std::to_string(kMostCommandOutput) + " bytes");
    });
    connect(process, &QProcess::finished, this, [process, output, experiment, finish](int code, QProcess::ExitStatus) {
        *output += process->readAllStandardOutput().toStdString();
        const std::string said = errorIn(process->readAllStandardError(), experiment);
        finish(code == 0 ? std::string() : said.empty() ? "the command ended with exit code " + std::to_string(code) : said);
    });
    connect(process, &QProcess::errorOccurred, this, [finish, process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish("the program " + process->program().toStdString() + " could not be started");
    });
    process->start();
}

}  // namespace launcher

#include "ui/checkpoint/checkpoints_there.h"

#include "engine/contract/run/run_folder.h"
#include "ui/language/outside_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace ui {
namespace {

constexpr char kFolderBegin[] = "step-";

std::string stepOf(const std::filesystem::path& checkpoint)
{
    const std::string name = checkpoint.filename().string();
    return name.starts_with(kFolderBegin) ? name.substr(sizeof kFolderBegin - 1) : std::string();
}

/// The commands that are still to be executed, and what became of the others.
struct Turn {
    launcher::Mirror* mirror;
    std::vector<std::vector<std::string>> commands;
    QObject* context;
    std::function<void(const CommandsEnd&)> onEnd;
    std::size_t next = 0;
    launcher::CommandId current = 0;
    CommandsEnd end = {};
};

void executeNext(const std::shared_ptr<Turn>& turn)
{
    if (turn->next == turn->commands.size() || turn->end.isCancelled)
        return turn->onEnd(turn->end);
    turn->current = turn->mirror->execute(turn->commands[turn->next++], turn->context, [turn](const launcher::CommandReply& reply) {
        if (reply.isAccepted)
            turn->end.printed << QString::fromStdString(reply.output).trimmed();
        else if (!reply.isCancelled)
            turn->end.errors << translatedSentence(reply.error);
        turn->end.isCancelled = turn->end.isCancelled || reply.isCancelled;
        executeNext(turn);
    });
}

double numberIn(const QJsonValue& value)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (value.isString())
        return value.toString() == QLatin1String("NaN") ? std::numeric_limits<double>::quiet_NaN() : value.toString().startsWith(QLatin1Char('-')) ? -kInfinity : kInfinity;
    return value.toDouble();
}

std::uint64_t countIn(const QJsonValue& value) { return static_cast<std::uint64_t>(std::max<qint64>(0, value.toInteger())); }

contract::TensorDifference tensorIn(const QJsonObject& json)
{
    using Kind = contract::TensorDifference::Kind;
    contract::TensorDifference tensor;
    tensor.name = json["name"].toString().toStdString();
    for (const QJsonValue& length : json["shape"].toArray())
        tensor.shape.push_back(length.toInteger());
    const std::string note = json["note"].toString().toStdString();
    for (const Kind kind : {Kind::OnlyInFirst, Kind::OnlyInSecond, Kind::OtherShape, Kind::NoNumbers}) {
        if (note == wordsOf(kind))
            tensor.kind = kind;
    }
    tensor.difference = {.values = countIn(json["values"]), .changed = countIn(json["changed"]), .notFinite = countIn(json["not_finite"]),
        .largest = numberIn(json["largest"]), .squaredDifference = numberIn(json["squared_difference"]), .squaredFirst = numberIn(json["squared_first"])};
    return tensor;
}

}  // namespace

std::vector<std::string> checkpointCommand(const char* verb, const std::filesystem::path& checkpoint)
{
    return {"checkpoints", verb, contract::RunFolder(checkpoint.parent_path().parent_path()).id(), "--step", stepOf(checkpoint)};
}

bool isNamedByStep(const std::filesystem::path& checkpoint)
{
    const std::string step = stepOf(checkpoint);
    return !step.empty() && std::ranges::all_of(step, [](char each) { return each >= '0' && each <= '9'; });
}

std::function<void()> executeInTurn(launcher::Mirror& mirror, std::vector<std::vector<std::string>> commands, QObject* context,
    std::function<void(const CommandsEnd&)> onEnd)
{
    const auto turn = std::make_shared<Turn>(Turn {&mirror, std::move(commands), context, std::move(onEnd)});
    executeNext(turn);
    return [turn] {
        // The last may be done before it hears of it; otherwise those after it are not begun.
        turn->end.isCancelled = turn->next < turn->commands.size();
        turn->mirror->cancel(turn->current);
    };
}

std::vector<contract::TensorDifference> differencesIn(const std::string& document)
{
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(document)).object();
    if (!json["tensors"].isArray())
        throw std::runtime_error("the answer lists no tensors");
    std::vector<contract::TensorDifference> tensors;
    for (const QJsonValue& tensor : json["tensors"].toArray())
        tensors.push_back(tensorIn(tensor.toObject()));
    return tensors;
}

}  // namespace ui

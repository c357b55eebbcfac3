#include "launcher/supervisor/control_message.h"

#include "engine/contract/formats/json_text.h"

#include <nlohmann/json.hpp>

#include <array>

namespace launcher {
namespace {

constexpr std::array kCommands = {ControlCommand::Stop, ControlCommand::StopNow, ControlCommand::Kill,
    ControlCommand::Checkpoint, ControlCommand::Sample, ControlCommand::Ping};

std::string lineOf(const nlohmann::json& json) { return contract::jsonText(json) + "\n"; }

std::string allNames()
{
    std::string names;
    for (const ControlCommand command : kCommands)
        names.append(names.empty() ? "" : ", ").append(commandName(command));
    return names;
}

/// Guards the recursive JSON parser: hostile input may nest deeper than its stack allows.
bool isFlat(std::string_view line)
{
    constexpr int kDeepest = 8;
    int depth = 0;
    for (const char character : line) {
        depth += character == '{' || character == '[' ? 1 : 0;
        if (depth > kDeepest)
            return false;
    }
    return true;
}

}  // namespace

std::string_view commandName(ControlCommand command)
{
    switch (command) {
    case ControlCommand::Stop:
        return "stop";
    case ControlCommand::StopNow:
        return "stop_now";
    case ControlCommand::Kill:
        return "kill";
    case ControlCommand::Checkpoint:
        return "checkpoint";
    case ControlCommand::Sample:
        return "sample";
    case ControlCommand::Ping:
        return "ping";
    }
    return "";
}

std::string requestLine(ControlCommand command)
{
    return lineOf({{"v", 1}, {"id", 1}, {"cmd", commandName(command)}});
}

ControlRequest parseRequest(std::string_view line)
{
    ControlRequest request;
    const auto json = isFlat(line) ? contract::parsedOrDiscarded(line) : nlohmann::json();
    if (!json.is_object()) {
        request.error = "a command is one line of JSON such as {\"v\":1,\"id\":1,\"cmd\":\"stop\"}";
        return request;
    }
    if (const auto id = json.find("id"); id != json.end() && id->is_number_integer())
        request.id = id->get<std::int64_t>();
    if (const auto version = json.find("v"); version == json.end() || *version != 1) {
        request.error = "this supervisor supports only version 1 of the protocol (\"v\":1)";
        return request;
    }
    const auto name = json.find("cmd");
    for (const ControlCommand command : kCommands) {
        if (name != json.end() && *name == commandName(command))
            request.command = command;
    }
    if (!request.command)
        request.error = "\"cmd\" must be one of: " + allNames();
    return request;
}

std::string replyLine(std::int64_t id, const std::string& error)
{
    nlohmann::json json = {{"id", id}, {"ok", error.empty()}};
    if (!error.empty())
        json["error"] = error;
    return lineOf(json);
}

ControlReply parseReply(std::string_view line)
{
    const auto json = contract::parsedOrDiscarded(line);
    const bool isReply = json.is_object() && json.contains("ok") && json["ok"].is_boolean();
    if (!isReply)
        return {false, "the supervisor sent a reply that cannot be parsed; check that it is the same version of Atelier"};
    if (json["ok"].get<bool>())
        return {true, {}};
    const auto error = json.find("error");
    return {false, error != json.end() && error->is_string() ? error->get<std::string>() : "refused"};
}

}  // namespace launcher

// What a connection asks the other machine to do, and the answers to it.
#include "engine/contract/formats/text.h"
#include "launcher/remote/mirror_connection.h"
#include "launcher/remote/served_commands.h"
#include "launcher/supervisor/control_message.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace launcher {

void MirrorConnection::send(const std::string& run, ControlCommand command, OnReply onReply)
{
    request({{"v", 1}, {"cmd", commandName(command)}, {"run", run}}, {.onReply = std::move(onReply)});
}

void MirrorConnection::execute(CommandId command, const std::vector<std::string>& arguments, const std::string& input, OnReply onReply, OnProgress onProgress)
{
    if (const std::string problem = commandProblem(arguments, input); !problem.empty())
        return onReply({{false, problem}});
    Json message = {{"cmd", "do"}, {"arguments", arguments}};
    if (!input.empty())
        message["input"] = input;
    request(std::move(message), {.onReply = std::move(onReply), .onProgress = std::move(onProgress), .command = command});
}

void MirrorConnection::cancel(CommandId command)
{
    const auto found = std::ranges::find_if(m_replies, [&](const auto& each) { return command != 0 && each.second.command == command; });
    if (found != m_replies.end())
        request({{"cmd", "cancel"}, {"of", found->first}});
}

void MirrorConnection::annotate(const std::string& run, const contract::Annotations& before, const contract::Annotations& after, OnReply onReply)
{
    request({{"cmd", "annotate"}, {"run", run}, {"before", annotationsJson(before)}, {"after", annotationsJson(after)}}, {.onReply = std::move(onReply)});
}

void MirrorConnection::takeReply(const Json& message)
{
    const auto waiting = m_replies.extract(numberField(message, "id"));
    if (!waiting)
        return;
    const bool isAccepted = message["ok"] == true;
    const std::string error = contract::shortened(textField(message, "error"), 2000);
    CommandReply reply {{isAccepted, isAccepted ? std::string() : error.empty() ? "refused" : error}, std::move(waiting.mapped().output)};
    reply.isCancelled = !isAccepted && message.value("cancelled", Json()) == true;
    waiting.mapped().onReply(reply);
}

void MirrorConnection::takeProgress(const Json& message)
{
    const auto waiting = m_replies.find(numberField(message, "id"));
    if (waiting != m_replies.end() && waiting->second.onProgress)
        waiting->second.onProgress(textField(message, "progress"));
}

void MirrorConnection::takeOutput(const Json& message, std::string_view bytes)
{
    const auto waiting = m_replies.find(numberField(message, "id"));
    if (waiting == m_replies.end())
        return;
    waiting->second.output += bytes;
    if (waiting->second.output.size() > kMostCommandOutput)
        throw std::runtime_error("the output of a command is longer than " + std::to_string(kMostCommandOutput) + " bytes");
}
}  // namespace launcher

// The Model Context Protocol, as a server with tools: takes messages, gives answers.
//
// [Note: two eras of the protocol]
// Until revision 2025-11-25 a client begins with `initialize`, which agrees on a revision for the process. Since 2026-07-28 every request
// carries its revision and the client's capabilities in `_meta`, nothing is agreed on, and `server/discover` tells what the server can.
// Both are served at the same time, told apart by `_meta`. What differs in the answers: results of the newer era have a resultType, say
// who answers, and how long lists may be kept.
#pragma once
#include "app/mcp/tool_runner.h"
#include "app/mcp/tools.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace app {

class Session {
public:
    /// @param isControlAllowed whether tools that change runs are offered
    /// @param send receives each message to the client, one line without its newline
    Session(bool isControlAllowed, std::function<void(const std::string&)> send);

    /// Takes one line from the client. Whatever it is, the answer is a message; nothing is thrown.
    void receive(std::string_view line);
    /// Reports a line that was too long to be read.
    void refuse(const std::string& sentence);

    /// Whether every request has been answered.
    bool isIdle() const { return m_runner.isIdle(); }

private:
    struct Request {
        Json id;
        std::string method;
        Json params;
        bool isModern = false;
    };
    void take(const Json& message);
    void answer(const Request& request);
    void initialize(const Request& request);
    void callTool(const Request& request);
    void sendOutcome(const Request& request, const Tool& tool, const ToolOutcome& outcome);
    void cancel(const Json& params);
    void sendResult(const Request& request, Json result);
    void sendError(const Json& id, int code, const std::string& message, const Json& data = {});
    void sendContent(const Request& request, Json content, bool isError);
    Json toolList() const;
    /// Finds the era of a request. Returns false, after an error message, when its revision is none that is spoken here.
    bool checkRevision(Request& request);

    bool m_isControlAllowed;
    std::function<void(const std::string&)> m_send;
    std::string m_legacyRevision;       ///< agreed on by initialize; empty before
    std::set<std::string> m_inFlight;   ///< ids of requests whose tools run, as JSON
    ToolRunner m_runner;
};

}  // namespace app

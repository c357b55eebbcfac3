// Exit codes of `atelier`, and the exception that ends a command with an error.
#pragma once
#include <stdexcept>

namespace app {

/// Documented for scripts: never change the values.
enum ExitCode : int {
    kSuccess = 0,
    kFailed = 1,
    kWrongUsage = 2,
    kKilled = 130,  ///< the run was killed by a second Ctrl+C
};

/// Ends a command. The message, one sentence that says what is wrong and what to do, goes to standard error.
class Failure : public std::runtime_error {
public:
    explicit Failure(const std::string& message, ExitCode code = kFailed)
        : std::runtime_error(message)
        , m_code(code)
    {
    }
    ExitCode code() const { return m_code; }

private:
    ExitCode m_code;
};

}  // namespace app

// How a command ends.
#pragma once
#include <stdexcept>

namespace app {

/// What scripts rely on.
enum ExitCode : int {
    kSuccess = 0,
    kFailed = 1,
    kWrongUsage = 2,
    kKilled = 130,  ///< by a second Ctrl+C
};

/// Ends a command: its one sentence, naming the thing and what to do, goes to standard error.
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

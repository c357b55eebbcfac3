// Failures that end a rank with a documented exit code.
#pragma once
#include <stdexcept>
#include <string>

namespace engine {

/// One sentence each; worker_main adds the rank in front.
class EngineError : public std::runtime_error {
public:
    enum class Kind {
        Failure = 1,
        WrongUsage = 2,
        LostPeer = 3,      ///< a collective failed or timed out: another rank is the cause
        OutOfMemory = 4,
        BadCheckpoint = 5,
    };
    EngineError(Kind kind, const std::string& sentence)
        : std::runtime_error(sentence)
        , m_kind(kind)
    {
    }
    Kind kind() const { return m_kind; }
    int exitCode() const { return static_cast<int>(m_kind); }

private:
    Kind m_kind;
};

/// The first line of a LibTorch error, without its C++ stack and the place in LibTorch's sources.
std::string firstLine(const std::exception& error);

}  // namespace engine

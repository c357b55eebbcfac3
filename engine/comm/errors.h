// Failures that end a rank with a documented exit code.
#pragma once
#include <stdexcept>
#include <string>

namespace engine {

/// The message is one sentence; worker_main puts the rank in front of it.
class EngineError : public std::runtime_error {
public:
    enum class Kind {
        Failure = 1,
        WrongUsage = 2,
        LostPeer = 3,      ///< a collective failed because another rank has exited or cannot be reached
        OutOfMemory = 4,
        BadCheckpoint = 5,
        Timeout = 6,       ///< a collective did not complete in time; other ranks may still run
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

/// The first line of contract::sentenceOf(): of a LibTorch error without its C++ stack and the location in LibTorch's sources.
std::string firstLine(const std::exception& error);

/// Whether LibTorch or the C++ library threw @p error because memory could not be allocated, on the host or on a device.
bool isOutOfMemory(const std::exception& error);

}  // namespace engine

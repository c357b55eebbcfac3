// The commands of `atelier` that a mirror may ask a server for: which they are, and carrying them out.
#pragma once
#include "launcher/remote/served_process.h"

#include <QObject>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

inline constexpr std::size_t kMostCommandInput = 64 * 1024;  ///< bytes of an experiment

/// Whether a mirror may ask for this: one of the commands in served_commands.cpp, with options that are listed there, values of the
/// kind that these take and nothing else.
/// @param input what "-" among @p words stands for: an experiment
/// @return why not, in one sentence; empty when it may
std::string commandProblem(const std::vector<std::string>& words, std::string_view input);

/// Carries out commands, each as a process of its own. They end with this, or finish first; see CommandEnds.
class ServedCommands : public QObject {
    Q_OBJECT
public:
    using OnProgress = std::function<void(const std::string& text)>;
    using OnEnd = std::function<void(const CommandEnd& end)>;

    using QObject::QObject;
    ~ServedCommands() override;

    /// @param id by which cancel() names the command. @param words, input of which commandProblem() said nothing.
    /// @p onEnd is called once, later, and @p onProgress any number of times before it.
    void execute(std::int64_t id, const std::vector<std::string>& words, const std::string& input, OnProgress onProgress, OnEnd onEnd);
    /// Asks a command to end; it says so by its @p onEnd. @return false: there is none of that id, or it changes something and is left to
    /// finish
    bool cancel(std::int64_t id);
    bool isFull() const;  ///< no other command may begin now
};

}  // namespace launcher

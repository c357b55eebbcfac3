// The commands of `atelier` that a mirror may ask a server for: which they are, and carrying them out.
#pragma once
#include "launcher/base/data_home.h"

#include <QObject>
#include <QStringList>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

inline constexpr std::size_t kMostCommandInput = 64 * 1024;         ///< bytes of an experiment
inline constexpr std::size_t kMostCommandOutput = 8 * 1024 * 1024;  ///< bytes

/// Whether a mirror may ask for this: one of the commands in served_commands.cpp, with options that are listed there, values of the
/// kind that these take and nothing else.
/// @param input what "-" among @p words stands for: an experiment
/// @return why not, in one sentence; empty when it may
std::string commandProblem(const std::vector<std::string>& words, std::string_view input);

/// Carries out commands as processes of their own, without a shell. They end with this.
class ServedCommands : public QObject {
    Q_OBJECT
public:
    using OnEnd = std::function<void(const std::string& error, const std::string& output)>;

    using QObject::QObject;
    ~ServedCommands() override;

    /// @param words, input of which commandProblem() said nothing. @p onEnd is called once, later: with an empty error on success.
    void execute(const std::vector<std::string>& words, const std::string& input, OnEnd onEnd);
    bool isFull() const;  ///< no other command may begin now

private:
    int m_running = 0;
};

}  // namespace launcher

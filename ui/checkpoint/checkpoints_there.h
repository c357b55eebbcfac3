// Operations on checkpoints of another machine, whose files are there: by `atelier checkpoints` on it.
#pragma once
#include "engine/contract/checkpoint/checkpoint_difference.h"
#include "launcher/remote/mirror.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ui {

/// The arguments of `atelier checkpoints VERB RUN --step N` for a checkpoint's folder in a mirror.
std::vector<std::string> checkpointCommand(const char* verb, const std::filesystem::path& checkpoint);

/// Whether commands can name the checkpoint by its step: not one in whose place another attempt has written another.
bool isNamedByStep(const std::filesystem::path& checkpoint);

/// What became of commands: what each printed, and the error of each that failed.
struct CommandsEnd {
    QStringList printed = {}, errors = {};
    bool isCancelled = false;
};

/// Executes one command after the other. @p onEnd is called on @p context's thread, unless that is destroyed first.
/// @return what cancels the command that is being executed, and those after it; it must not be called when the mirror is gone
std::function<void()> executeInTurn(launcher::Mirror& mirror, std::vector<std::vector<std::string>> commands, QObject* context,
    std::function<void(const CommandsEnd&)> onEnd);

/// What `atelier checkpoints diff --json` has printed. @throws std::runtime_error in one sentence when it is something else
std::vector<contract::TensorDifference> differencesIn(const std::string& document);

}  // namespace ui

// Sends commands to a run's supervisor.
#pragma once
#include "engine/contract/run_folder.h"
#include "launcher/data_home.h"

#include <QObject>
#include <QString>

#include <functional>
#include <string>

namespace launcher {

enum class ControlCommand { Stop, StopNow, Kill, Checkpoint, Sample, Ping };

struct ControlReply {
    bool isAccepted = false;
    std::string error;  ///< one sentence; names the run when nobody answers
};

/// Blocking, for the command line: at most @p timeoutMs.
ControlReply sendCommand(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    int timeoutMs = 2000);

/// For the window: returns at once; @p onReply is called on the context's thread, unless it is gone.
void sendCommandAsync(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    QObject* context, std::function<void(const ControlReply&)> onReply);

}  // namespace launcher

// Sends commands to a run's supervisor or, when another launcher has started the ranks, to rank 0. Kill also ends a supervisor that
// does not answer, and thereby its ranks.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <QObject>
#include <QString>

#include <functional>
#include <string>

namespace launcher {

enum class ControlCommand { Stop, StopNow, Kill, Checkpoint, Sample, Ping };

struct ControlReply {
    bool isAccepted = false;
    std::string error;  ///< why the command was not accepted, in one sentence; empty when it was
};

/// Sends @p command and blocks until the reply arrives, at most @p timeoutMs. For the command line.
ControlReply sendCommand(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    int timeoutMs = 2000);

/// Sends @p command and returns at once. For the window. @p onReply is called from the event loop of @p context's
/// thread; it is not called when @p context is destroyed first.
void sendCommandAsync(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    QObject* context, std::function<void(const ControlReply&)> onReply);

}  // namespace launcher

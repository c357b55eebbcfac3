// Finds the processes of a run's ranks.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <sys/types.h>

namespace tests {

/// Empty when the file cannot be read.
QByteArray contentOf(const QString& file);

/// The process of @p rank, a child of the run's supervisor.
std::optional<pid_t> rankProcess(const contract::RunFolder& run, int rank);

}  // namespace tests

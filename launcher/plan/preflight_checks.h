// The checks of preflight(), one function each. They may block as long as a disk or a driver does.
#pragma once
#include "launcher/plan/preflight.h"

#include <string>
#include <vector>

namespace launcher {

std::vector<PreflightItem> checkWorker(const contract::Experiment& experiment);
std::vector<PreflightItem> checkHome(const DataHome& home);
std::vector<PreflightItem> checkPort();
std::vector<PreflightItem> checkSlurm();  ///< in place of the port and of checkDevices() when the run is for Slurm

/// What is exchanged between the hosts of a run for Slurm.
std::vector<PreflightItem> checkHosts(const contract::Experiment& experiment);

/// Space for the checkpoints to come.
std::vector<PreflightItem> checkDisk(const DataHome& home, const contract::Experiment& experiment);

/// GPUs or processor cores for the ranks.
std::vector<PreflightItem> checkDevices(const DataHome& home, const contract::Experiment& experiment);

// Call these only for an experiment that validates, so that the files and folders that it names exist.
std::vector<PreflightItem> checkModel(const contract::Experiment& experiment);  ///< of a folder, and its adapter
std::vector<PreflightItem> checkData(const DataHome& home, const contract::Experiment& experiment);
std::vector<PreflightItem> checkOrigin(const contract::Experiment& experiment);   ///< the checkpoints that training begins from and learns from
std::vector<PreflightItem> checkRewards(const contract::Experiment& experiment);  ///< run code, send images

}  // namespace launcher

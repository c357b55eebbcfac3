// Finds the run that a command line names.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <string>
#include <vector>

namespace app {

/// Returns the run that @p name identifies: a full id, a unique prefix of an id, a name (run.name, or the name that the
/// user gave it later), or "latest". Reads the run folders only, so it works whatever the state of the database.
/// @throws Failure when no run or several runs match.
contract::RunFolder findRun(const launcher::DataHome& home, const std::string& name);

/// The same, but of several runs called @p name it takes the newest, with a warning that says which.
contract::RunFolder findNewestRun(const launcher::DataHome& home, const std::string& name);

/// Ids of all run folders, newest first by the time in the id.
std::vector<std::string> runIds(const launcher::DataHome& home);

}  // namespace app

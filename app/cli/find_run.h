// Which run a person means.
#pragma once
#include "engine/contract/run_folder.h"
#include "launcher/data_home.h"

#include <string>
#include <vector>

namespace app {

/// The run that @p name names: a full id, a unique prefix of one, a name (run.name or what it was renamed
/// to), or "latest". Looks at the run folders only, so that a run can be stopped whatever the database says.
/// @throws Failure naming what was looked for: nothing found, or several.
contract::RunFolder findRun(const launcher::DataHome& home, const std::string& name);

/// Ids of all run folders, newest first by the time in the id.
std::vector<std::string> runIds(const launcher::DataHome& home);

}  // namespace app

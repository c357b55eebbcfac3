// The runs that a command line would queue: one, or those of a sweep, each with what stands against it.
#pragma once
#include "app/cli/experiment_source.h"
#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "launcher/base/data_home.h"
#include "launcher/plan/preflight.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

struct PlannedRun {
    std::vector<std::pair<std::string, std::string>> varied;  ///< as in ExperimentChanges
    contract::Experiment experiment;
    std::string mistake;  ///< why the experiment cannot be read, as readExperiment() says it; empty: it can
    std::vector<launcher::PreflightItem> checks;  ///< of preflight(); empty with a mistake

    std::vector<std::string> messages(launcher::PreflightItem::Level level) const;  ///< of the checks
    std::vector<std::string> errors() const;  ///< of the mistake or the checks; none: it can start
};

/// The experiments of a file with every combination of the changes' values (combinations()), all checked, after at most 2 s for the checks.
/// Creates the data home when it does not exist.
std::vector<PlannedRun> planRuns(const launcher::DataHome& home, const std::filesystem::path& file, const ExperimentChanges& changes);

/// Prints the warnings, each once, with the runs that it is about. @throws Failure when a run cannot start, which it names by the values
/// in which it differs.
void requireReady(const std::vector<PlannedRun>& runs);

/// Prints the runs as a table. @return kFailed when one of them cannot start.
ExitCode showRuns(const std::vector<PlannedRun>& runs);

/// [{"name":…,"settings":{…},"errors":[…],"warnings":[…],"found":[…]}]: the values in which the runs differ, and what the checks say.
Json runsJson(const std::vector<PlannedRun>& runs);

}  // namespace app

// Checks whether an experiment can be started on this machine, and says what would mend it.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"

#include <map>
#include <string>
#include <vector>

namespace launcher {

/// What the user may do about a finding, with one press of a button.
struct PreflightFix {
    enum class Kind {
        SetOptions,  ///< set `values`
        ChoosePath,  ///< choose another file or folder for the option `key`
        ShowOption,  ///< show the field of the option `key`
        OpenTrash,   ///< look into the trash, which has something to delete
        MoveHome     ///< start Atelier on another data home, with this experiment
    };
    Kind kind = Kind::ShowOption;
    std::string label;  ///< a verb and its object: "Train on the CPU"
    std::string key = {};
    std::map<std::string, std::string> values = {};  ///< option → value as text

    bool operator==(const PreflightFix&) const = default;
};

/// PreflightItem::what of the problems that Experiment::validate() finds.
inline constexpr const char* kExperimentCheck = "Experiment";

/// One check before a start: worker program, data home's permissions, free disk space, port, devices, model, data …
struct PreflightItem {
    enum class Level { Ok, Warning, Error };
    Level level = Level::Ok;
    std::string what;     ///< name of the check, for example "Disk"
    std::string message;  ///< "80.1 GB free, about 0.2 GB needed for checkpoints"
    std::vector<PreflightFix> fixes = {};
    std::string key = {};  ///< of the option that a problem of the experiment is about; empty: none, or another check

    bool operator==(const PreflightItem&) const = default;
};

/// Runs all checks at the same time and returns, after at most 2 s, one item or more for each, and one for each problem of the
/// experiment. A check that has not ended by then, because a disk or a driver does not answer, is reported as a warning.
std::vector<PreflightItem> preflight(const DataHome& home, const contract::Experiment& experiment);

/// The same for each of several experiments, in their order and after at most 2 s in all. What does not depend on the options in which
/// they differ is checked once.
std::vector<std::vector<PreflightItem>> preflightAll(const DataHome& home, const std::vector<contract::Experiment>& experiments);

}  // namespace launcher

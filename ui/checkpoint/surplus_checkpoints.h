// The checkpoints that no rule keeps: what `atelier disk clean` and the window's disk view move to the trash.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/home/keep_rules.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ui {

struct SurplusCheckpoint {
    std::string run;  ///< id
    std::int64_t step = 0;
    std::filesystem::path folder;
    std::uint64_t bytes = 0;

    std::string name() const { return run + "/" + folder.filename().string(); }  ///< as in the trash
};

struct Surplus {
    std::vector<SurplusCheckpoint> checkpoints;  ///< in the order of the runs, then of the steps
    std::vector<std::string> problems;           ///< a sentence for each checkpoint that is left alone because it cannot be read
    int activeRuns = 0;                          ///< runs with several checkpoints, which these rules leave alone

    std::uint64_t bytes() const;
};

/// Applies the rules to each of the runs. Runs that are active keep their checkpoints themselves (checkpoint.keep) and are left out. Reads
/// manifests; callable on any thread.
/// @param runs ids; folders that are missing count as runs without checkpoints
/// @param isCancelled asked before each run; after true, the rest is left out. Empty: never
Surplus surplusOf(const launcher::DataHome& home, const std::vector<std::string>& runs, const launcher::KeepRules& rules,
    const std::function<bool()>& isCancelled = {});

}  // namespace ui

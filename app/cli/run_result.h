// What a followed run has brought so far, and how that is told at its end.
#pragma once
#include "app/cli/output.h"
#include "engine/contract/experiment.h"
#include "engine/contract/journal_parser.h"
#include "engine/contract/run_folder.h"

#include <map>
#include <string>

namespace app {

struct RunResult {
    std::string outcome;  ///< finished, stopped, failed, interrupted; empty while it runs
    std::string cause;
    std::int64_t step = 0;
    std::map<std::string, double> metrics;  ///< the last value of each, of rank 0
    std::string lastSample;                 ///< relative to the run folder
    std::string lastCheckpoint;

    /// Takes in a record of rank 0.
    void add(const contract::JournalLine& line);
};

/// "200 guided samples: 97.5 % seen as what was asked for (…)"; empty when nobody judged.
std::string judgementText(const RunResult& result, const contract::Experiment& experiment);

/// The end of a run in a few lines: outcome, metrics, where things are.
std::string endText(const RunResult& result, const contract::RunFolder& folder,
    const contract::Experiment& experiment);

Json endJson(const RunResult& result, const contract::RunFolder& folder);

}  // namespace app

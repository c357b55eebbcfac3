// The results of a followed run, and the report that is printed at its end.
#pragma once
#include "app/cli/output.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/run_folder.h"

#include <map>
#include <string>

namespace app {

struct RunResult {
    std::string outcome;  ///< finished, stopped, failed, interrupted; empty while it runs
    std::string cause;
    std::int64_t step = 0;
    std::map<std::string, double> metrics;  ///< the last value of each metric of rank 0
    std::string lastSample;                 ///< relative to the run folder
    std::string lastCheckpoint;             ///< relative to the run folder

    /// Adds a record of rank 0.
    void add(const contract::JournalLine& line);
};

/// "200 guided samples: 97.5 % classified as the requested class (…)"; empty when no classifier judged the samples.
std::string judgementText(const RunResult& result, const contract::Experiment& experiment);

/// How the run can be resumed, in one line: from its latest checkpoint, or, when no step is left, with more steps. Empty for a
/// finished run without a checkpoint.
std::string resumeHint(const RunResult& result, const contract::RunFolder& folder, const contract::Experiment& experiment);

/// Reports the end of a run in a few lines: outcome, metrics, and the paths of images and checkpoint.
std::string endText(const RunResult& result, const contract::RunFolder& folder,
    const contract::Experiment& experiment);

Json endJson(const RunResult& result, const contract::RunFolder& folder);

}  // namespace app

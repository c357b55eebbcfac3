#include "launcher/plan/trial.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/kill_cleanup.h"
#include "launcher/base/owned_folder.h"
#include "launcher/base/program_path.h"
#include "launcher/ranks/worker_job.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMeasuredSteps = 3;

/// What the journal of a rank says of the trial so far.
struct Journalled {
    std::string doing;
    double trainsMs = 0;             ///< when training began; 0: not yet
    std::vector<double> stepsMs;     ///< ends of the steps
    std::int64_t peakBytes = 0;
};

Journalled read(const fs::path& file)
{
    Journalled result;
    std::ifstream stream(file, std::ios::binary);
    contract::JournalParser parser;
    for (std::string text; std::getline(stream, text) && !stream.eof();) {  // a line without its end is not a record yet
        const contract::JournalLine& line = parser.parse(text);
        const bool isPhase = line.type == contract::record::kEvent && line.text("kind") == contract::event::kPhase;
        if (isPhase || line.type == contract::record::kActivity)
            result.doing = line.text("message");
        if (isPhase && result.doing == "trains")
            result.trainsMs = line.tMs;
        if (line.type != contract::record::kStep)
            continue;
        result.stepsMs.push_back(line.tMs);
        result.peakBytes = std::max(result.peakBytes, static_cast<std::int64_t>(line.number(contract::metric::kPeakAllocated, 0)));
    }
    return result;
}

std::int64_t stepsOfRound(const contract::Experiment& experiment)
{
    if (!contract::isPolicyAlgorithm(experiment.text("algorithm.name")))
        return 0;
    const contract::PolicySettings settings = contract::policySettings(experiment);
    return std::max<std::int64_t>(1, settings.miniBatches * settings.epochs);
}

/// @p experiment without what a trial leaves out, and with at least @p steps.
contract::Experiment forTrial(const contract::Experiment& experiment, std::int64_t steps)
{
    contract::Experiment trial = experiment;
    const auto set = [&](std::string_view key, const contract::OptionValue& value) {
        if (const auto problem = trial.set(key, value))
            throw std::logic_error(problem->message);
    };
    // One more, because at the last step a run writes its checkpoint and draws its samples.
    set("run.total_steps", std::max(experiment.integer("run.total_steps"), steps + 1));
    for (const char* key : {"checkpoint.every", "sample.every", "validation.every", "sample.judge", "rollout.keep_every"})
        set(key, std::int64_t {0});
    trial.reset("run.profile_steps");
    return trial;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ",") + name;
    return text;
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// @param roundSteps 0: the algorithm has no rounds
Trial measured(const Journalled& journalled, std::int64_t roundSteps)
{
    const std::vector<double>& ends = journalled.stepsMs;
    if (roundSteps > 0) {
        const double roundMs = ends[static_cast<std::size_t>(roundSteps - 1)] - journalled.trainsMs;
        return {.steps = roundSteps, .isRound = true, .stepMs = roundMs / static_cast<double>(roundSteps)};
    }
    std::vector<double> steps;
    for (std::size_t i = 1; i < ends.size() && steps.size() < kMeasuredSteps; ++i)
        steps.push_back(ends[i] - ends[i - 1]);
    return {.steps = std::ssize(steps), .stepMs = median(steps)};
}

/// data/trials/XXXXXX. Its place beside the folder of the runs gives the ranks the cache of the runs.
class TrialFolder {
public:
    explicit TrialFolder(const DataHome& home)
        : m_parent(home.data / "trials")
        , m_folder(m_parent)
        , m_cleanup(m_folder.path())
    {
    }
    ~TrialFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_folder.path(), ignored);
        fs::remove(m_parent, ignored);  // fails while another trial runs
    }
    contract::RunFolder run() const { return contract::RunFolder(m_folder.path()); }

private:
    fs::path m_parent;
    OwnedFolder m_folder;
    KillCleanup m_cleanup;
};

}  // namespace

std::optional<Trial> tryExperiment(const DataHome& home, const contract::Experiment& experiment, const TrialCallbacks& callbacks)
{
    if (contract::isForSlurm(experiment))
        throw std::runtime_error("the run is for Slurm; a trial on this machine would not say how long its steps take there");
    const std::int64_t roundSteps = stepsOfRound(experiment);
    const std::int64_t steps = roundSteps > 0 ? roundSteps : 1 + kMeasuredSteps;
    const auto ranks = static_cast<int>(experiment.integer("launch.ranks"));
    const TrialFolder owned(home);
    const contract::RunFolder folder = owned.run();
    contract::makeSubfolders(folder);
    contract::writeAttempt(folder, contract::newStart(1, ranks), forTrial(experiment, steps));

    bool isCancelled = false;
    Journalled first;
    const auto isEnough = [&] {
        isCancelled = callbacks.isCancelled();
        Journalled now = read(folder.journal(0));
        if (now.doing != first.doing || now.stepsMs.size() != first.stepsMs.size())
            callbacks.report({now.doing, std::min(std::ssize(now.stepsMs), steps), steps});
        first = std::move(now);
        if (std::ssize(first.stepsMs) < steps)
            return isCancelled;
        // Others journal a step a little earlier or later.
        for (int rank = 1; rank < ranks && !isCancelled; ++rank) {
            if (std::ssize(read(folder.journal(rank)).stepsMs) < steps)
                return false;
        }
        return true;
    };
    const std::string problem = runWorkers({.worker = programPath("atelier-worker"),
                                               .arguments = {"--run", folder.root().string(), "--attempt", "1", "--forecast", "no"},
                                               .ranks = ranks,
                                               .threads = static_cast<int>(experiment.integer("run.threads")),
                                               .visibleGpus = joined(contract::namedGpus(experiment)),
                                               .isEnough = isEnough},
        [](const std::string&) { });
    if (isCancelled)
        return std::nullopt;
    if (!problem.empty())
        throw std::runtime_error(problem);
    if (std::ssize(first.stepsMs) < steps)
        throw std::runtime_error("the trial ended after " + std::to_string(first.stepsMs.size()) + " of " + std::to_string(steps) + " steps");
    Trial trial = measured(first, roundSteps);
    for (int rank = 0; rank < ranks; ++rank)
        trial.peakBytes = std::max(trial.peakBytes, read(folder.journal(rank)).peakBytes);
    return trial;
}

}  // namespace launcher

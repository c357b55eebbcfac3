// Creates run folders and their attempts.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/origin.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/folders.h"
#include "launcher/plan/estimate.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/run_state.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace launcher {
namespace {

namespace fs = std::filesystem;

int ranksOf(const contract::Experiment& experiment) { return static_cast<int>(experiment.integer("launch.ranks")); }

/// Creates a run folder with an unused name. mkdir itself detects a taken name, so that two processes cannot share one.
contract::RunFolder makeRoot(const DataHome& home, const std::string& name)
{
    constexpr int kTries = 20;
    for (int i = 0; i < kTries; ++i) {
        const fs::path root = home.runs() / contract::makeRunId(name, std::chrono::system_clock::now());
        if (::mkdir(root.c_str(), 0700) == 0)
            return contract::RunFolder(root);
        if (errno != EEXIST)
            throw std::runtime_error(contract::cannotBe("created", root, errno));
    }
    throw std::runtime_error(home.runs().string() + ": no unused name for the run was found; try again");
}

/// A supervisor that has just ended or been killed holds the lock until the kernel has closed its files.
bool isSupervised(const contract::RunFolder& folder)
{
    using namespace std::chrono_literals;
    const auto deadline = std::chrono::steady_clock::now() + 500ms;
    while (contract::isLocked(folder)) {
        if (std::chrono::steady_clock::now() > deadline)
            return true;
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

/// @throws std::runtime_error when the run has finished and the checkpoint is of its last step.
void checkThatStepsAreLeft(
    const contract::RunFolder& folder, std::int64_t checkpointStep, const contract::Experiment& experiment)
{
    const std::int64_t steps = experiment.integer("run.total_steps");
    if (checkpointStep < steps || inspectRun(folder).state != RunState::Finished)
        return;
    throw std::runtime_error("run " + folder.id() + " has finished all its " + std::to_string(steps)
        + " steps; to continue, give it more: `atelier resume " + folder.id() + " --set run.total_steps="
        + std::to_string(2 * steps) + "`");
}

/// The estimate of @p attempt, if it holds for @p next, too.
std::optional<Estimate> estimateThatHolds(const contract::RunFolder& folder, int attempt, const contract::Experiment& next)
{
    const std::optional<Estimate> estimate = readEstimate(folder, attempt);
    try {
        return estimate && paceKey(contract::experimentOf(folder, attempt)) == paceKey(next) ? estimate : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;  // its experiment cannot be read, so there is nothing to compare
    }
}

}  // namespace

PreparedRun createRun(const DataHome& home, const contract::Experiment& experiment)
{
    createFolder(home.runs());
    PreparedRun run {.folder = makeRoot(home, experiment.text("run.name")), .attempt = 1, .lock = {}};
    try {
        if (const std::string problem = run.lock.take(run.folder); !problem.empty())
            throw std::runtime_error(problem);
        contract::makeSubfolders(run.folder);
        contract::writeAttempt(run.folder, contract::newStart(1, ranksOf(experiment)), experiment);
        writeEstimate(run.folder, 1, estimateFor(home, experiment));
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(run.folder.root(), ignored);
        throw;
    }
    return run;
}

PreparedRun takePrepared(const contract::RunFolder& folder, int attempt)
{
    PreparedRun run {.folder = folder, .attempt = attempt, .lock = {}};
    if (const std::string problem = run.lock.take(folder); !problem.empty())
        throw std::runtime_error(problem);
    // Checked under the start lock, as below.
    if (isSupervised(folder))
        throw std::runtime_error(contract::alreadySupervisedMessage(folder));
    requireNoSlurmJob(folder);
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty() || attempts.back() != attempt || contract::hasStarted(folder, attempt))
        throw std::runtime_error("attempt " + std::to_string(attempt) + " of run " + folder.id() + " was started or replaced meanwhile");
    return run;
}

void discardPrepared(const contract::RunFolder& folder, int attempt)
{
    const PreparedRun run = takePrepared(folder, attempt);
    std::error_code error;
    if (attempt > 1)
        fs::remove_all(folder.attempt(attempt), error);
    if (error)
        throw std::runtime_error(contract::cannotBe("deleted", folder.attempt(attempt), error.value()));
}

PreparedRun prepareResume(const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment)
{
    if (const std::string problem = contract::whyNoExperiment(folder); !problem.empty())
        throw std::runtime_error(problem);
    PreparedRun run {.folder = folder, .attempt = 0, .lock = {}};
    if (const std::string problem = run.lock.take(folder); !problem.empty())
        throw std::runtime_error(problem);
    // Checked under the start lock, so that no other process can start a supervisor afterwards.
    if (isSupervised(folder))
        throw std::runtime_error(contract::alreadySupervisedMessage(folder));
    requireNoSlurmJob(folder);
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw std::runtime_error(folder.root().string() + " contains no attempt of a run, so it cannot be resumed");
    contract::makeSubfolders(folder);

    const contract::Experiment next = experiment ? *experiment : contract::experimentOf(folder, attempts.back());
    const contract::AttemptStart start = contract::nextStart(folder, checkpointStep, next, ranksOf(next));
    if (!start.parentCheckpoint.empty())
        checkThatStepsAreLeft(folder, start.parentStep, next);
    const std::optional<Estimate> estimate = estimateThatHolds(folder, attempts.back(), next);
    contract::writeAttempt(folder, start, next);
    writeEstimate(folder, start.attempt, estimate);
    run.attempt = start.attempt;
    run.notice = start.notice;
    return run;
}

}  // namespace launcher

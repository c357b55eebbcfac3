// Creates run folders and their attempts.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/output_file.h"
#include "launcher/file_end.h"
#include "launcher/folders.h"
#include "launcher/launch.h"
#include "launcher/run_state.h"
#include "launcher/sentence.h"
#include "launcher/supervisor_lock.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

contract::AttemptStart newStart(int attempt, const contract::Experiment& experiment)
{
    contract::AttemptStart start;
    start.attempt = attempt;
    start.startUnixMs = nowUnixMs();
    start.ranks = static_cast<int>(experiment.integer("launch.ranks"));
    start.host = hostName();
    start.versions = {{"atelier", ATELIER_VERSION}};
    return start;
}

/// Writes start.json last, because a folder without it does not count as an attempt. @throws std::runtime_error.
void writeAttempt(const contract::RunFolder& folder, const contract::AttemptStart& start,
    const contract::Experiment& experiment)
{
    createFolder(folder.attempt(start.attempt));
    const fs::path config = folder.config(start.attempt);
    fs::path file = config;
    try {
        contract::writeFileAtomically(
            config, experiment.toToml(contract::Experiment::Write::Everything));
        file = folder.start(start.attempt);
        folder.writeStart(start);
    } catch (const std::system_error& error) {
        std::error_code ignored;
        fs::remove_all(folder.attempt(start.attempt), ignored);
        throw std::runtime_error(cannotBe("written", file, error.code().value()));
    }
}

/// Creates a run folder with an unused name. mkdir itself detects a taken name, so that two processes cannot share one.
contract::RunFolder makeRoot(const DataHome& home, const std::string& name)
{
    constexpr int kTries = 20;
    for (int i = 0; i < kTries; ++i) {
        const fs::path root = home.runs() / contract::makeRunId(name, std::chrono::system_clock::now());
        if (::mkdir(root.c_str(), 0700) == 0)
            return contract::RunFolder(root);
        if (errno != EEXIST)
            throw std::runtime_error(cannotBe("created", root, errno));
    }
    throw std::runtime_error(home.runs().string() + ": no unused name for the run was found; try again");
}

std::string joined(const std::vector<std::int64_t>& steps)
{
    std::string text;
    for (const std::int64_t step : steps)
        text += (text.empty() ? "" : ", ") + std::to_string(step);
    return text;
}

void checkModel(const contract::CheckpointManifest& manifest, const fs::path& checkpoint,
    const contract::Experiment& experiment)
{
    if (!experiment.boolean("checkpoint.strict"))
        return;
    for (const auto& [key, was] : manifest.modelOptions) {
        if (key == "optim.kind" && experiment.text("checkpoint.load") == "weights")
            continue;
        const contract::Option* option = contract::findOption(key);
        const std::string is = option ? contract::toText(experiment.value(key)) : was;
        if (is != was)
            throw std::runtime_error(checkpoint.string() + " is of another model: it was written with "
                + key + " = " + was + ", but the experiment has " + is + "; change it back or start a new run");
    }
}

/// @throws std::runtime_error when the checkpoint is missing, damaged or of another model.
void checkCheckpoint(
    const contract::RunFolder& folder, std::int64_t step, const contract::Experiment& experiment)
{
    const auto steps = folder.checkpointFolders();
    if (!std::ranges::binary_search(steps, step))
        throw std::runtime_error("run " + folder.id() + " has no checkpoint of step "
            + std::to_string(step)
            + (steps.empty() ? "; it has no checkpoints" : "; it has those of steps " + joined(steps)));
    contract::CheckpointManifest manifest;
    try {
        manifest = contract::readManifest(folder.checkpoint(step));
    } catch (const std::exception& error) {
        throw std::runtime_error("the checkpoint of step " + std::to_string(step) + " is damaged: " + error.what() + "; resume from another one");
    }
    checkModel(manifest, folder.checkpoint(step), experiment);
}

struct ChosenCheckpoint {
    std::optional<std::int64_t> step;  ///< nullopt: the run has no checkpoints
    std::string notice;                ///< names later checkpoints that are damaged; empty when there are none
};

/// Chooses the latest undamaged checkpoint.
/// @throws std::runtime_error when all of them are damaged, or the chosen one is of another model.
ChosenCheckpoint latestCheckpoint(const contract::RunFolder& folder, const contract::Experiment& experiment)
{
    const auto steps = folder.checkpointFolders();
    std::vector<std::int64_t> damaged;
    std::string problem;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        try {
            contract::readManifest(folder.checkpoint(*step));
        } catch (const std::exception& error) {
            problem = problem.empty() ? error.what() : problem;
            damaged.push_back(*step);
            continue;
        }
        checkCheckpoint(folder, *step, experiment);
        if (damaged.empty())
            return {*step, {}};
        const bool isOne = damaged.size() == 1;
        return {*step, std::string(isOne ? "the checkpoint of step " : "the checkpoints of steps ") + joined(damaged)
                + (isOne ? " is" : " are") + " damaged, so the run goes on from step " + std::to_string(*step) + ": " + problem};
    }
    if (!problem.empty())
        throw std::runtime_error("every checkpoint of run " + folder.id() + " is damaged: " + problem);
    return {};
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

contract::Experiment lastExperiment(const contract::RunFolder& folder, int attempt)
{
    auto parsed = contract::loadExperiment(folder.config(attempt));
    if (!parsed.problems.empty())
        throw std::runtime_error(folder.config(attempt).string() + ": " + parsed.problems.front().message);
    return parsed.experiment;
}

void makeSubfolders(const contract::RunFolder& folder)
{
    for (const fs::path& each :
        {folder.journals(), folder.logs(), folder.checkpoints(), folder.samples()})
        createFolder(each);
}

}  // namespace

PreparedRun createRun(const DataHome& home, const contract::Experiment& experiment)
{
    createFolder(home.runs());
    PreparedRun run {.folder = makeRoot(home, experiment.text("run.name")), .attempt = 1, .lock = {}};
    try {
        if (const std::string problem = run.lock.take(run.folder); !problem.empty())
            throw std::runtime_error(problem);
        makeSubfolders(run.folder);
        writeAttempt(run.folder, newStart(1, experiment), experiment);
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(run.folder.root(), ignored);
        throw;
    }
    return run;
}

PreparedRun prepareResume(const contract::RunFolder& folder, std::optional<std::int64_t> checkpointStep,
    const std::optional<contract::Experiment>& experiment)
{
    PreparedRun run {.folder = folder, .attempt = 0, .lock = {}};
    if (const std::string problem = run.lock.take(folder); !problem.empty())
        throw std::runtime_error(problem);
    // Checked under the start lock, so that no other process can start a supervisor afterwards.
    if (isLocked(folder))
        throw std::runtime_error(alreadySupervisedMessage(folder));
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw std::runtime_error(folder.root().string() + " contains no attempt of a run, so it cannot be resumed");
    makeSubfolders(folder);

    const contract::Experiment nextExperiment = experiment ? *experiment : lastExperiment(folder, attempts.back());
    contract::AttemptStart start = newStart(attempts.back() + 1, nextExperiment);
    if (checkpointStep) {
        checkCheckpoint(folder, *checkpointStep, nextExperiment);
    } else {
        const ChosenCheckpoint latest = latestCheckpoint(folder, nextExperiment);
        checkpointStep = latest.step;
        start.notice = run.notice = latest.notice;
    }
    if (checkpointStep) {
        checkThatStepsAreLeft(folder, *checkpointStep, nextExperiment);
        start.parentStep = *checkpointStep;
        start.parentCheckpoint
            = fs::path(folder.checkpoint(*checkpointStep)).lexically_relative(folder.root()).string();
    }
    start.controlOffset = readFileEnd(folder.control(), 0, 0).size;
    writeAttempt(folder, start, nextExperiment);
    run.attempt = start.attempt;
    return run;
}

}  // namespace launcher

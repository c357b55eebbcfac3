#include "engine/contract/attempt/attempt.h"

#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/supervisor_lock.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <system_error>

namespace contract {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::int64_t>& steps)
{
    std::string text;
    for (const std::int64_t step : steps)
        text += (text.empty() ? "" : ", ") + std::to_string(step);
    return text;
}

void checkModel(const CheckpointManifest& manifest, const fs::path& checkpoint,
    const Experiment& experiment)
{
    if (!experiment.boolean("checkpoint.strict"))
        return;
    for (const auto& [key, was] : manifest.modelOptions) {
        if (key == "optim.kind" && experiment.text("checkpoint.load") == "weights")
            continue;
        const Option* option = findOption(key);
        const std::string is = option ? toText(experiment.value(key)) : was;
        if (is != was)
            throw std::runtime_error(checkpoint.string() + " is of another model: it was written with "
                + key + " = " + was + ", but the experiment has " + is + "; change it back or start a new run");
    }
}

/// @return its manifest. @throws std::runtime_error when the checkpoint is missing, damaged or of another model.
CheckpointManifest checkCheckpoint(
    const RunFolder& folder, std::int64_t step, const Experiment& experiment)
{
    const auto steps = folder.checkpointFolders();
    if (!std::ranges::binary_search(steps, step))
        throw std::runtime_error("run " + folder.id() + " has no checkpoint of step "
            + std::to_string(step)
            + (steps.empty() ? "; it has no checkpoints" : "; it has those of steps " + joined(steps)));
    CheckpointManifest manifest;
    try {
        manifest = readManifest(folder.checkpoint(step));
    } catch (const std::exception& error) {
        throw std::runtime_error("the checkpoint of step " + std::to_string(step) + " is damaged: " + error.what() + "; resume from another one");
    }
    checkModel(manifest, folder.checkpoint(step), experiment);
    return manifest;
}

/// @throws std::runtime_error when there are checkpoints, but none from which the last attempt could go on.
void requireOneOrNone(const RunFolder& folder, const LatestCheckpoint& latest)
{
    if (latest.step)
        return;
    if (!latest.abandoned.empty()) {
        const std::vector<std::int64_t> steps(latest.abandoned.rbegin(), latest.abandoned.rend());
        throw std::runtime_error("run " + folder.id() + " has no checkpoint from which its last attempt could go on, only those of abandoned attempts, at step "
            + joined(steps) + "; choose one of them to resume from");
    }
    if (!latest.damaged.empty())
        throw std::runtime_error("every checkpoint of run " + folder.id() + " is damaged: " + latest.problem);
}

/// Names later checkpoints that are damaged; empty when there are none.
std::string noticeOf(const LatestCheckpoint& latest)
{
    if (!latest.step || latest.damaged.empty())
        return {};
    const bool isOne = latest.damaged.size() == 1;
    return std::string(isOne ? "the checkpoint of step " : "the checkpoints of steps ") + joined(latest.damaged) + (isOne ? " is" : " are")
        + " damaged, so the run goes on from step " + std::to_string(*latest.step) + ": " + latest.problem;
}

std::int64_t fileBytes(const fs::path& file)
{
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    return error ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace

AttemptStart newStart(int attempt, int ranks)
{
    using namespace std::chrono;
    AttemptStart start;
    start.attempt = attempt;
    start.startUnixMs = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    start.ranks = ranks;
    start.host = hostName();
    start.versions = {{"atelier", ATELIER_VERSION}};
    return start;
}

void makeSubfolders(const RunFolder& folder)
{
    for (const fs::path& each : {folder.journals(), folder.logs(), folder.checkpoints(), folder.samples()})
        createFolder(each);
}

void writeAttempt(const RunFolder& folder, const AttemptStart& start, const Experiment& experiment)
{
    const bool isNew = !fs::exists(folder.start(start.attempt));
    createFolder(folder.attempt(start.attempt));
    const fs::path config = folder.config(start.attempt);
    fs::path file = config;
    try {
        writeFileAtomically(config, experiment.toToml(Experiment::Write::Everything));
        file = folder.start(start.attempt);
        folder.writeStart(start);
    } catch (const std::system_error& error) {
        std::error_code ignored;
        if (isNew)
            fs::remove_all(folder.attempt(start.attempt), ignored);
        throw std::runtime_error(cannotBe("written", file, error.code().value()));
    }
}

std::optional<int> attemptWaitingFor(const RunFolder& folder, const fs::path& checkpoint)
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty() || hasStarted(folder, attempts.back()))
        return std::nullopt;
    try {
        const fs::path parent = folder.readStart(attempts.back()).parentCheckpoint;
        return !parent.empty() && parent.filename() == checkpoint.filename() ? std::optional(attempts.back()) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;  // without its start it cannot be started
    }
}

Experiment experimentOf(const RunFolder& folder, int attempt)
{
    auto parsed = loadExperiment(folder.config(attempt));
    if (!parsed.problems.empty())
        throw std::runtime_error(folder.config(attempt).string() + ": " + parsed.problems.front().message);
    return parsed.experiment;
}

AttemptStart nextStart(const RunFolder& folder, std::optional<std::int64_t> checkpointStep, const Experiment& experiment, int ranks)
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw std::runtime_error(folder.root().string() + " contains no attempt of a run, so it cannot be resumed");
    AttemptStart start = newStart(attempts.back() + (hasStarted(folder, attempts.back()) ? 1 : 0), ranks);
    if (!checkpointStep) {
        const LatestCheckpoint latest = latestCheckpoint(folder);
        requireOneOrNone(folder, latest);
        checkpointStep = latest.step;
        start.notice = noticeOf(latest);
    }
    if (checkpointStep) {
        start.parentAttempt = checkCheckpoint(folder, *checkpointStep, experiment).attempt;
        start.parentStep = *checkpointStep;
        start.parentCheckpoint = folder.checkpoint(*checkpointStep).lexically_relative(folder.root()).string();
    }
    start.controlOffset = fileBytes(folder.control());
    return start;
}

}  // namespace contract

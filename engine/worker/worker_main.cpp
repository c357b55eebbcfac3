#include "engine/worker/worker_main.h"

#include "engine/comm/errors.h"
#include "engine/comm/trace.h"
#include "engine/contract/formats/text.h"
#include "engine/worker/generation.h"
#include "engine/worker/gpu_report.h"
#include "engine/worker/log.h"
#include "engine/worker/plan_report.h"
#include "engine/worker/run_setup.h"
#include "engine/worker/signals.h"
#include "engine/worker/training_run.h"
#include "engine/worker/unsupervised_start.h"

#include <c10/core/Allocator.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace engine {
namespace {

constexpr char kUsage[]
    = "usage: atelier-worker --run FOLDER [--attempt N [--forecast no]]\n"
      "       atelier-worker --generate REQUEST.json\n"
      "       atelier-worker --plan EXPERIMENT.toml [--cache FOLDER] [--to FILE --device cpu|cuda]\n"
      "       atelier-worker --check-gpus\n"
      "       atelier-worker --version\n"
      "Runs one rank of a training run or of `atelier generate`. The environment variables RANK, WORLD_SIZE, LOCAL_RANK,\n"
      "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT identify the rank, as set by torchrun. `atelier run` sets them for you.\n"
      "Those of Open MPI, of other MPI launchers and of srun do as well. torchrun needs a -- before the program:\n"
      "torchrun --nproc-per-node 2 --no-python -- atelier-worker --run FOLDER\n"
      "Without --attempt, rank 0 takes the attempt that `atelier prepare` has prepared, or adds one from the latest checkpoint.\n"
      "SIGTERM stops the run after a step, with a checkpoint; SIGUSR1 writes a checkpoint.\n"
      "Exit codes: 0 finished or stopped, 1 failure, 2 wrong usage, 3 lost peer, 4 out of memory,\n"
      "5 bad checkpoint, 6 timeout: another rank did not take part in time.\n";

struct Arguments {
    std::string run;
    int attempt = 0;
    std::string imageRequest;  ///< request file of --generate; empty when training
    std::string plan;          ///< experiment file of --plan; empty as above
    std::string planCache;     ///< with plan: what the runs of the data home share
    std::string planTo;        ///< file that it is written to; empty: standard output
    std::string planDevice;    ///< with planTo
    bool hasForecast = true;   ///< of the run; that of a trial has been made before it
};

/// @throws EngineError WrongUsage.
Arguments parseArguments(int argc, char** argv)
{
    Arguments arguments;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (name == "--run" && value) {
            arguments.run = value;
        } else if (name == "--generate" && value) {
            arguments.imageRequest = value;
        } else if (name == "--plan" && value) {
            arguments.plan = value;
        } else if (name == "--cache" && value) {
            arguments.planCache = value;
        } else if (name == "--to" && value) {
            arguments.planTo = value;
        } else if (name == "--device" && value && (std::string_view(value) == "cpu" || std::string_view(value) == "cuda")) {
            arguments.planDevice = value;
        } else if (name == "--forecast" && value && std::string_view(value) == "no") {
            arguments.hasForecast = false;
        } else if (name == "--attempt" && value) {
            const auto number = contract::parseInteger(value);
            if (!number || *number < 1 || *number > 1000000)
                throw EngineError(EngineError::Kind::WrongUsage,
                    "--attempt " + std::string(value) + ": must be a whole number from 1 to 1000000");
            arguments.attempt = static_cast<int>(*number);
        } else {
            throw EngineError(
                EngineError::Kind::WrongUsage, "unknown argument " + name + "; see --help");
        }
    }
    if (arguments.imageRequest.empty() && arguments.run.empty() && arguments.plan.empty())
        throw EngineError(EngineError::Kind::WrongUsage, "--run, --generate or --plan is required; see --help");
    if (arguments.planTo.empty() != arguments.planDevice.empty())
        throw EngineError(EngineError::Kind::WrongUsage, "--to and --device belong together; see --help");
    return arguments;
}

/// Returns "out of memory: could not allocate 512 MiB", with the size taken from the message of LibTorch's allocators.
std::string outOfMemoryMessage(const std::string& message)
{
    const std::size_t tried = message.find("ried to allocate ");
    if (tried == std::string::npos)
        return "out of memory";
    std::string amount = message.substr(message.find_first_of("0123456789", tried));
    if (const auto end = amount.find("iB"); end != std::string::npos && end < 16)
        amount.resize(end + 2);  // CUDA's message has a unit: "2.00 GiB"
    else
        amount = std::to_string(std::strtoll(amount.c_str(), nullptr, 10) >> 20) + " MiB";
    return "out of memory: could not allocate " + amount;
}

/// Takes part in an attempt of a run. @param run set as soon as the attempt is known
/// @param start set when no supervisor has started this rank; the run counts as active while it exists
void train(const Arguments& arguments, RankIdentity& identity, std::unique_ptr<TrainingRun>& run, std::optional<UnsupervisedStart>& start)
{
    const contract::RunFolder folder(std::filesystem::absolute(arguments.run).lexically_normal());
    if (arguments.attempt > 0) {
        run = std::make_unique<TrainingRun>(folder, arguments.attempt, identity);
        return run->execute(openRendezvous(run->experiment(), identity), arguments.hasForecast);
    }
    start.emplace(folder, identity);
    addLogFile(folder.log(identity.rank));
    if (identity.rank == 0) {
        run = std::make_unique<TrainingRun>(folder, start->attempt(), identity);
        run->takeSupervisorDuties();
    }
    Rendezvous rendezvous = openRendezvous(run ? run->experiment() : loadResolved(folder, folder.attempts().back()), identity);
    start->agree(rendezvous);
    if (!run)
        run = std::make_unique<TrainingRun>(folder, start->attempt(), identity);
    if (SupervisorDuties::isDeputy(identity.rank, identity.worldSize))
        run->takeSupervisorDuties();
    run->execute(std::move(rendezvous));
}

/// @throws EngineError WrongUsage when the launcher sets no address of rank 0.
void requireMaster(const RankIdentity& identity)
{
    if (identity.worldSize > 1 && identity.masterPort == 0)
        throw EngineError(EngineError::Kind::WrongUsage, "environment variable MASTER_PORT is not set: without --attempt it is not needed");
}

struct Failure {
    int exitCode;
    std::string sentence;
};

/// Runs @p action and turns any exception into an exit code and a sentence; nullopt on success.
template <typename Action>
std::optional<Failure> failureOf(Action action)
{
    try {
        action();
        return std::nullopt;
    } catch (const EngineError& error) {
        return Failure {error.exitCode(), error.what()};
    } catch (const std::exception& error) {
        const std::string sentence = firstLine(error);
        if (isOutOfMemory(error))
            return Failure {static_cast<int>(EngineError::Kind::OutOfMemory), outOfMemoryMessage(sentence)};
        return Failure {static_cast<int>(EngineError::Kind::Failure), sentence};
    }
}

}  // namespace

int workerMain(int argc, char** argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("atelier-worker %s, LibTorch %s\n", ATELIER_VERSION, TORCH_VERSION);
        return 0;
    }
    if (argc == 2 && std::strcmp(argv[1], "--check-gpus") == 0) {
        const auto problem = failureOf([] { std::puts(gpuReport().c_str()); });
        if (problem)
            std::fprintf(stderr, "error: %s\n", problem->sentence.c_str());
        return problem ? problem->exitCode : 0;
    }
    if (std::any_of(argv + 1, argv + argc, [](const char* argument) { return std::strcmp(argument, "--help") == 0; })) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    RankIdentity identity;
    std::optional<UnsupervisedStart> start;
    std::unique_ptr<TrainingRun> run;
    auto failure = failureOf([&] {
        identity = rankFromEnvironment();
        setLogRank(identity.rank);
        const Arguments arguments = parseArguments(argc, argv);
        ignoreClosedPipes();
        if (arguments.attempt > 0 || !arguments.imageRequest.empty())
            requireMaster(identity);
        const auto print = [](const std::string& line) {
            std::puts(line.c_str());
            std::fflush(stdout);
        };
        if (!arguments.imageRequest.empty())
            return generateImages(contract::readImageRequest(arguments.imageRequest), identity, print);
        if (!arguments.planTo.empty())
            return writePlan(arguments.plan, arguments.planTo, identity.worldSize, arguments.planDevice);
        if (!arguments.plan.empty())
            return print(planReport(arguments.plan, arguments.planCache));
        blockSignals();
        train(arguments, identity, run, start);
    });
    if (!failure)
        return 0;

    std::string cause = "rank " + std::to_string(identity.rank) + ": " + failure->sentence;
    if (run && failure->exitCode == static_cast<int>(EngineError::Kind::OutOfMemory)) {
        const std::string& place = failurePlace();
        cause += (place.empty() ? "" : " in " + place) + "; " + run->memoryAdvice();
    }
    if (run)
        failureOf([&] { run->reportFailure(cause); });  // this may fail as well, for example when the disk is full
    if (start)
        logError(cause);  // standard error is the launcher's
    std::fprintf(stderr, "error: %s\n", cause.c_str());
    std::fflush(stderr);
    std::_Exit(failure->exitCode);  // skips destructors, which would wait for collectives whose peers are gone
}

}  // namespace engine

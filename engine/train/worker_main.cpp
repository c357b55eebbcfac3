#include "engine/train/worker_main.h"

#include "engine/comm/errors.h"
#include "engine/comm/trace.h"
#include "engine/contract/text.h"
#include "engine/train/generation.h"
#include "engine/train/log.h"
#include "engine/train/signals.h"
#include "engine/train/training_run.h"

#include <c10/core/Allocator.h>
#include <torch/headeronly/version.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

namespace engine {
namespace {

constexpr char kUsage[]
    = "usage: atelier-worker --run FOLDER --attempt N\n"
      "       atelier-worker --generate REQUEST.json\n"
      "One rank, of training or of `atelier generate`. RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT\n"
      "say which, as torchrun sets them; `atelier run` starts ranks by itself.\n"
      "       atelier-worker --version\n"
      "Exit codes: 0 finished or stopped, 1 failure, 2 wrong usage, 3 lost peer, 4 out of memory,\n"
      "5 bad checkpoint.\n";

struct Arguments {
    std::string run;
    int attempt = 0;
    std::string imageRequest;  ///< draws pictures instead
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
        } else if (name == "--attempt" && value) {
            const auto number = contract::parseInteger(value);
            if (!number || *number < 1 || *number > 1000000)
                throw EngineError(EngineError::Kind::WrongUsage,
                    "--attempt " + std::string(value) + ": must be a number from 1 on");
            arguments.attempt = static_cast<int>(*number);
        } else {
            throw EngineError(
                EngineError::Kind::WrongUsage, "unknown argument " + name + "; see --help");
        }
    }
    if (arguments.imageRequest.empty() && (arguments.run.empty() || arguments.attempt == 0))
        throw EngineError(
            EngineError::Kind::WrongUsage, "--run and --attempt are needed, or --generate; see --help");
    return arguments;
}

bool isOutOfMemory(const std::string& message)
{
    return message.find("can't allocate memory") != std::string::npos
        || message.find("out of memory") != std::string::npos;
}

/// "out of memory: 512 MiB more were asked for", from what LibTorch's allocators say.
std::string shortageIn(const std::string& message)
{
    const std::size_t tried = message.find("ried to allocate ");
    if (tried == std::string::npos)
        return "out of memory";
    std::string amount = message.substr(message.find_first_of("0123456789", tried));
    if (const auto end = amount.find("iB"); end != std::string::npos && end < 16)
        amount.resize(end + 2);  // of CUDA: "2.00 GiB"
    else
        amount = std::to_string(std::strtoll(amount.c_str(), nullptr, 10) >> 20) + " MiB";
    return "out of memory: " + amount + " more were asked for";
}

struct Failure {
    int exitCode;
    std::string sentence;
};

/// Runs, and turns whatever goes wrong into an exit code and a sentence.
template <typename Action>
std::optional<Failure> failureOf(Action action)
{
    try {
        action();
        return std::nullopt;
    } catch (const EngineError& error) {
        return Failure {error.exitCode(), error.what()};
    } catch (const std::bad_alloc&) {
        return Failure {static_cast<int>(EngineError::Kind::OutOfMemory), "out of memory"};
    } catch (const std::exception& error) {
        const std::string sentence = firstLine(error);
        if (isOutOfMemory(sentence))
            return Failure {static_cast<int>(EngineError::Kind::OutOfMemory), shortageIn(sentence)};
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
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    RankIdentity identity;
    std::unique_ptr<TrainingRun> run;
    auto failure = failureOf([&] {
        identity = rankFromEnvironment();
        setLogRank(identity.rank);
        const Arguments arguments = parseArguments(argc, argv);
        if (!arguments.imageRequest.empty())
            return generateImages(contract::readImageRequest(arguments.imageRequest), identity, [](const std::string& line) {
                std::puts(line.c_str());
                std::fflush(stdout);
            });
        holdSignals();
        run = std::make_unique<TrainingRun>(
            contract::RunFolder(arguments.run), arguments.attempt, identity);
        run->execute();
    });
    if (!failure)
        return 0;

    std::string cause = "rank " + std::to_string(identity.rank) + ": " + failure->sentence;
    if (run) {
        if (failure->exitCode == static_cast<int>(EngineError::Kind::OutOfMemory)) {
            const std::string& place = failurePlace();
            cause += (place.empty() ? "" : " in " + place) + run->moment() + "; " + run->memoryAdvice();
        } else {
            cause += run->moment();
        }
    }
    if (run)
        failureOf([&] { run->reportFailure(cause); });  // the journal's disk may be what is full
    std::fprintf(stderr, "error: %s\n", cause.c_str());
    std::fflush(stderr);
    std::_Exit(failure->exitCode);  // no orderly end of collectives whose peers are gone
}

}  // namespace engine

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/run/journal.h"
#include "launcher/detached_program.h"
#include "launcher/launch.h"
#include "launcher/slurm_client.h"

#include <filesystem>

namespace launcher {
namespace {

constexpr char kVisibleGpus[] = "CUDA_VISIBLE_DEVICES";

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ",") + name;
    return text;
}

}  // namespace

void startSupervisor(const contract::RunFolder& folder, const std::map<std::string, std::string>& variables)
{
    std::map<std::string, std::string> all = variables;
    if (const std::vector<int> attempts = folder.attempts(); !attempts.empty()) {
        const auto named = contract::namedGpus(contract::experimentOf(folder, attempts.back()));
        if (!named.empty())
            all.emplace(kVisibleGpus, joined(named));
    }
    startDetached({.name = "the supervisor of run " + folder.id(),
        .arguments = {"supervise", std::filesystem::absolute(folder.root()).string()},
        .variables = all,
        .log = folder.log(contract::kSupervisorRank)});
}

void startPrepared(PreparedRun& run, const std::map<std::string, std::string>& variables)
{
    if (contract::isForSlurm(contract::experimentOf(run.folder, run.attempt)))
        submitToSlurm(run);
    else
        startSupervisor(run.folder, variables);
}

}  // namespace launcher

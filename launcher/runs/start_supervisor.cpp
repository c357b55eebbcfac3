#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/lock_byte.h"
#include "launcher/base/detached_program.h"
#include "launcher/machine/gpus.h"
#include "launcher/machine/nvml.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_client.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Lets one program at a time choose free GPUs and start ranks on them.
class GpuLock {
public:
    explicit GpuLock(const std::filesystem::path& home) { contract::awaitByte(home / "gpus.lock", contract::LockByte::Starter, m_descriptor); }
    ~GpuLock()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    GpuLock(const GpuLock&) = delete;
    GpuLock& operator=(const GpuLock&) = delete;

private:
    int m_descriptor = -1;
};

/// As many free GPUs as the experiment has ranks; none where the ranks may do without and there are none at all.
std::vector<std::string> takeFree(const contract::RunFolder& folder, const contract::Experiment& experiment)
{
    const auto ranks = static_cast<std::size_t>(experiment.integer("launch.ranks"));
    if (experiment.text("run.device") == "auto" && visibleGpus(hostGpus(), std::getenv(kVisibleGpus)).size() < ranks)
        return {};  // such a run trains on the CPU
    std::vector<std::string> gpus = freeGpus(folder.root().parent_path());
    if (gpus.size() < ranks)
        throw std::runtime_error("launch.gpus = free: " + std::to_string(gpus.size()) + (gpus.size() == 1 ? " GPU is" : " GPUs are") + " free for "
            + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + "; `atelier queue add " + folder.id() + "` starts the run as soon as there are enough");
    gpus.resize(ranks);
    return gpus;
}

}  // namespace

void startSupervisor(const contract::RunFolder& folder, const std::map<std::string, std::string>& variables)
{
    std::map<std::string, std::string> all = variables;
    std::optional<GpuLock> lock;
    const std::vector<int> attempts = folder.attempts();
    if (!attempts.empty() && !all.contains(kVisibleGpus)) {
        const contract::Experiment experiment = contract::experimentOf(folder, attempts.back());
        std::vector<std::string> gpus;
        if (contract::wantsFreeGpus(experiment)) {
            lock.emplace(folder.root().parent_path().parent_path());
            gpus = takeFree(folder, experiment);
        } else if (const auto named = contract::namedGpus(experiment); !named.empty()) {
            gpus = chosenGpus(experiment, hostGpus());
            gpus = gpus.size() < named.size() ? named : gpus;  // the ranks then say what is wrong
        }
        if (!gpus.empty())
            all.emplace(kVisibleGpus, joined(gpus));
    }
    startDetached({.name = "the supervisor of run " + folder.id(),
        .arguments = {"supervise", std::filesystem::absolute(folder.root()).string()},
        .variables = all,
        .log = folder.log(contract::kSupervisorRank)});
}

void startPrepared(PreparedRun& run, const std::map<std::string, std::string>& variables)
{
    const contract::Experiment experiment = contract::experimentOf(run.folder, run.attempt);
    // A program that changed the experiment in the queue may have been killed between the attempt's two files.
    contract::AttemptStart start = run.folder.readStart(run.attempt);
    if (const auto ranks = static_cast<int>(experiment.integer("launch.ranks")); start.ranks != ranks) {
        start.ranks = ranks;
        run.folder.writeStart(start);
    }
    if (contract::isForSlurm(experiment))
        submitToSlurm(run);
    else
        startSupervisor(run.folder, variables);
}

}  // namespace launcher

// Prepares the attempts that follow failures. See [Note: restarts] in restart_policy.h.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/supervisor/restart_policy.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace launcher {

class Restarts {
public:
    /// @param experiment of the attempt that the supervisor starts first
    Restarts(const contract::RunFolder& folder, const contract::Experiment& experiment);

    bool areAllowed() const { return m_policy.most() > 0; }
    std::int64_t most() const { return m_policy.most(); }

    /// Whether ranks that hang at @p step would be started again if they were killed. @param begunFrom step of the attempt's checkpoint
    bool wouldFollowHang(std::int64_t step, std::int64_t begunFrom) const;

    /// Call once for each attempt that has failed. @param last its experiment
    RestartPolicy::Verdict judge(const AttemptFailure& failure, std::int64_t begunFrom, const contract::Experiment& last);

    struct Next {
        contract::AttemptStart start;
        contract::Experiment experiment;
        std::string visibleGpus;  ///< CUDA_VISIBLE_DEVICES of the ranks; empty: that of this process
        std::string notice;       ///< that it has fewer ranks, and why; often empty
        std::string origin;       ///< "step 400", "the beginning"
    };
    /// Writes the next attempt, which thereby becomes the run's last one. Call it while this process holds the run's lock.
    /// @throws std::runtime_error in one sentence when there can be none: no GPU is left, no checkpoint is whole, the disk is full
    Next prepare(const contract::Experiment& last) const;

private:
    contract::RunFolder m_folder;
    RestartPolicy m_policy;
    std::vector<std::string> m_gpus;  ///< that the ranks could use at first
};

}  // namespace launcher

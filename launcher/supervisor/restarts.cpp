#include "launcher/supervisor/restarts.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/attempt/history.h"
#include "launcher/machine/nvml.h"
#include "launcher/supervisor/restart_plan.h"

#include <exception>
#include <optional>
#include <stdexcept>

namespace launcher {

Restarts::Restarts(const contract::RunFolder& folder, const contract::Experiment& experiment)
    : m_folder(folder)
    , m_policy(experiment.integer("launch.restarts"))
{
    if (areAllowed())
        m_gpus = gpusFor(experiment);
}

bool Restarts::wouldFollowHang(std::int64_t step, std::int64_t begunFrom) const
{
    return m_policy.preview(hangAt(step), begunFrom, contract::latestCheckpoint(m_folder).step.value_or(0)).number > 0;
}

RestartPolicy::Verdict Restarts::judge(const AttemptFailure& failure, std::int64_t begunFrom, const contract::Experiment& last)
{
    try {
        return m_policy.judge(failure, begunFrom, contract::nextStart(m_folder, std::nullopt, last, 1).parentStep);
    } catch (const std::exception& error) {
        return {.refusal = error.what()};
    }
}

Restarts::Next Restarts::prepare(const contract::Experiment& last) const
{
    const RestartPlan plan = planRestart(last, m_gpus, hostGpus());
    if (!plan.problem.empty())
        throw std::runtime_error(plan.problem);
    const auto ranks = static_cast<int>(plan.experiment.integer("launch.ranks"));
    const contract::AttemptStart start = contract::nextStart(m_folder, std::nullopt, plan.experiment, ranks);
    contract::writeAttempt(m_folder, start, plan.experiment);
    const bool isFromScratch = start.parentCheckpoint.empty();
    return {.start = start, .experiment = plan.experiment, .visibleGpus = plan.visibleGpus, .notice = plan.notice,
        .origin = isFromScratch ? "the beginning" : "step " + std::to_string(start.parentStep)};
}

}  // namespace launcher

#include "launcher/supervisor/restart_policy.h"

#include <algorithm>

namespace launcher {
namespace {

std::chrono::milliseconds pauseBefore(std::int64_t restart)
{
    using namespace std::chrono_literals;
    constexpr std::chrono::milliseconds kPauses[] = {0s, 2s, 8s, 32s, 60s};
    return kPauses[std::min<std::size_t>(static_cast<std::size_t>(restart - 1), std::size(kPauses) - 1)];
}

}  // namespace

AttemptFailure failureOf(const RankExit& exit)
{
    AttemptFailure failure {.kind = (exit.isSignal ? "signal " : "exit code ") + std::to_string(exit.code), .step = exit.step};
    if (exit.isSignal)
        return failure;
    if (!exit.errorText.empty())
        failure.kind += ": " + exit.errorText;
    failure.isLasting = exit.code == worker_exit::kNotStarted || exit.code == worker_exit::kWrongUsage || exit.code == worker_exit::kBadCheckpoint;
    failure.isOwnError = exit.code != worker_exit::kLostPeer && exit.code != worker_exit::kTimeout;
    return failure;
}

AttemptFailure hangAt(std::int64_t step) { return {.kind = "hang", .step = step}; }

RestartPolicy::Verdict RestartPolicy::preview(const AttemptFailure& failure, std::int64_t begunFrom, std::int64_t nextFrom) const
{
    if (m_most == 0)
        return {};
    if (failure.isLasting || (failure.isOwnError && failure.step == 0 && !m_hasTrained))
        return {.refusal = "it would fail in the same way again"};
    const bool hasProgressed = nextFrom > begunFrom;
    if (!hasProgressed && m_last && m_last->kind == failure.kind && m_last->step == failure.step)
        return {.refusal = "the same happened in the attempt before, without progress in between"};
    const std::int64_t number = hasProgressed ? 1 : m_inRow + 1;
    if (number > m_most)
        return {.refusal = std::to_string(m_most) + (m_most == 1 ? " restart has" : " restarts have") + " brought no progress"};
    return {.number = number, .pause = pauseBefore(number), .refusal = {}};
}

RestartPolicy::Verdict RestartPolicy::judge(const AttemptFailure& failure, std::int64_t begunFrom, std::int64_t nextFrom)
{
    const Verdict verdict = preview(failure, begunFrom, nextFrom);
    m_inRow = verdict.number;
    m_last = failure;
    m_hasTrained = m_hasTrained || failure.step > 0;
    return verdict;
}

}  // namespace launcher

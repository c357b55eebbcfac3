#include "engine/rewards/program_reward.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"
#include "engine/rewards/reward_message.h"

#include <stdexcept>
#include <utility>

namespace engine {
namespace {

/// @param act throws std::runtime_error with a clause about the program
template <typename Act>
auto namingTheProgram(const std::filesystem::path& program, const Act& act)
{
    try {
        return act();
    } catch (const std::runtime_error& error) {
        throw EngineError(EngineError::Kind::Failure, "the reward program " + contract::inQuotes(program.string()) + " " + error.what());
    }
}

}  // namespace

ProgramReward::ProgramReward(std::string name, std::filesystem::path program, std::chrono::milliseconds timeout)
    : m_name(std::move(name))
    , m_program(std::move(program))
    , m_timeout(timeout)
    , m_lines(namingTheProgram(m_program, [&] { return LineProgram(m_program); }))
{
}

at::Tensor ProgramReward::scores(const RewardBatch& batch) { return ask(rewardRequest(batch, ++m_requests), batch.images.size(0), "sample"); }

at::Tensor ProgramReward::preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs)
{
    return ask(rewardRequest(batch, ++m_requests, pairs), static_cast<std::int64_t>(pairs.size()), "pair");
}

at::Tensor ProgramReward::ask(const std::string& request, std::int64_t count, const std::string& scored)
{
    return namingTheProgram(
        m_program, [&] { return parsedScores(m_lines.ask(request, m_timeout, "reward.timeout"), count, m_requests, scored); });
}

}  // namespace engine

// The state of rounds in a checkpoint: saving it, and continuing an unfinished round from it.
#include "engine/contract/formats/text.h"
#include "engine/rounds/policy_rounds.h"

namespace engine {
namespace {

constexpr char kFollowedRound[] = "old.followed_round";

}  // namespace

std::map<std::string, std::string> PolicyRounds::toState() const
{
    auto state = m_watch.toState();
    state.merge(m_reference.toState());
    if (m_settings.keepsOld())
        state[kFollowedRound] = std::to_string(m_followedRound);
    return state;
}

RankData PolicyRounds::toData() const
{
    if (!m_isUnderWay)
        return {};
    RankData data {.facts = m_facts, .tensors = {}};
    for (std::size_t micro = 0; micro < m_micros.size(); ++micro)
        m_stored.add(data, globalMicro(static_cast<std::int64_t>(micro)), m_micros[micro]);
    return data;
}

void PolicyRounds::restore(std::int64_t step, const std::map<std::string, std::string>& state, DataFiles& data)
{
    m_watch.restore(state);
    m_reference.restore(state);
    if (const auto round = state.find(kFollowedRound); round != state.end())
        m_followedRound = contract::parseInteger(round->second).value_or(0);
    m_algorithm->setReferenceCoefficient(m_reference.coefficient());
    if (step % updates() == 0 && data.isEmpty())
        return;
    if (const std::string reason = obstacle(data); !reason.empty())
        return m_callbacks.warn("the round under way goes on with new samples, because " + reason);
    readRound(step / updates(), data);
    orderUpdates(step / updates(), step % updates());
    m_isUnderWay = true;
}

std::string PolicyRounds::obstacle(const DataFiles& data) const
{
    if (data.isEmpty())
        return "the checkpoint holds none";
    for (const auto& [name, value] : m_facts) {
        const auto was = data.facts().find(name);
        if (was == data.facts().end() || was->second != value)
            return "the checkpoint's were drawn with " + name + " = " + (was == data.facts().end() ? "(unknown)" : was->second)
                + ", and the experiment has " + value;
    }
    return {};
}

void PolicyRounds::readRound(std::int64_t round, DataFiles& data)
{
    for (std::int64_t micro = 0; micro < microsOf(m_settings.trainedSamples()); ++micro) {
        DrawnRows drawn = m_rollout.plannedRows(firstRow(micro), m_microBatch, round);
        m_stored.readSamples(data, globalMicro(micro), drawn);
        drawn.conditions = m_source.conditions(drawn.prompts);
        for (at::Tensor* tensor : {&drawn.clean, &drawn.latents, &drawn.logProbs, &drawn.means}) {
            if (tensor->defined())
                *tensor = tensor->to(m_device);
        }
        TrainedRows& rows = m_micros.emplace_back(trainedRows(std::move(drawn), round));
        for (const auto& [name, values] : m_stored.readFields(data, globalMicro(micro)))
            rows.fields[name] = values.to(m_device);
    }
}

}  // namespace engine

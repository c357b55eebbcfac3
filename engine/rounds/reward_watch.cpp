#include "engine/rounds/reward_watch.h"

#include "engine/contract/formats/text.h"

#include <cmath>
#include <utility>

namespace engine {
namespace {

constexpr double kFallen = 0.1;         // of the watched reward's best
constexpr double kMostFlat = 0.5;       // of a round's prompts
constexpr double kMostDivergence = 1;   // per element, where a step of training moves it by less than a thousandth

// Entries of the state: what a notice was given of that still holds.
constexpr char kDiverging[] = "gold.is_diverging", kFlat[] = "rewards.are_flat", kExploding[] = "updates.are_exploding";

const double* find(const NamedNumbers& metrics, const char* name)
{
    const auto found = metrics.find(name);
    return found == metrics.end() ? nullptr : &found->second;
}

}  // namespace

RewardWatch::RewardWatch(const contract::PolicySettings& settings)
    : m_patience(settings.goldPatience)
{
}

void RewardWatch::note(bool isSo, bool& wasSo, const std::string& notice, std::vector<std::string>& notices)
{
    if (isSo && !wasSo)
        notices.push_back(notice);
    wasSo = isSo;
}

std::vector<std::string> RewardWatch::addRound(const NamedNumbers& metrics)
{
    std::vector<std::string> notices;
    if (const double* flat = find(metrics, "critic/rewards/zero_std_ratio"))
        note(*flat > kMostFlat, m_isFlat,
            "the samples of " + contract::shortestText(std::round(*flat * 100))
                + " % of the prompts have equal rewards, from which nothing is learnt: the reward may be too coarse, or the prompts too easy or too hard",
            notices);
    const double *gold = find(metrics, kGoldReward), *reward = find(metrics, "critic/rewards/mean");
    if (gold && reward)
        watchGold(*gold, *reward, notices);
    return notices;
}

void RewardWatch::watchGold(double gold, double reward, std::vector<std::string>& notices)
{
    if (++m_goldRounds == 1 || gold > m_bestGold) {
        m_bestGold = gold;
        m_rewardAtBest = reward;
        m_roundsSinceBest = 0;
    } else {
        ++m_roundsSinceBest;
    }
    note(gold < m_bestGold - kFallen * std::abs(m_bestGold) && reward > m_rewardAtBest, m_isDiverging,
        "the watched reward has fallen from " + contract::shortestText(m_bestGold) + " to " + contract::shortestText(gold)
            + " while the one that is trained on has risen: the model may exploit the reward",
        notices);
    if (m_patience > 0 && m_roundsSinceBest >= m_patience)
        m_stopReason = "the watched reward has not risen for " + std::to_string(m_roundsSinceBest) + (m_roundsSinceBest == 1 ? " round" : " rounds");
}

std::vector<std::string> RewardWatch::addUpdate(const NamedNumbers& metrics)
{
    std::vector<std::string> notices;
    if (const double* divergence = find(metrics, "actor/ppo_kl"))
        note(!(std::abs(*divergence) <= kMostDivergence), m_isExploding,
            "an update has moved the model far from the one that drew its samples (divergence " + contract::shortestText(*divergence)
                + "): lower optim.lr, or take fewer updates from a round",
            notices);
    return notices;
}

std::map<std::string, std::string> RewardWatch::toState() const
{
    std::map<std::string, std::string> state;
    if (m_goldRounds > 0)
        state = {{"gold.rounds", std::to_string(m_goldRounds)}, {"gold.best", contract::shortestText(m_bestGold)},
            {"gold.reward_at_best", contract::shortestText(m_rewardAtBest)}, {"gold.rounds_since_best", std::to_string(m_roundsSinceBest)}};
    for (const auto& [key, isSo] : {std::pair(kDiverging, m_isDiverging), std::pair(kFlat, m_isFlat), std::pair(kExploding, m_isExploding)}) {
        if (isSo)
            state[key] = "1";
    }
    return state;
}

void RewardWatch::restore(const std::map<std::string, std::string>& state)
{
    const auto number = [&](const char* key, double otherwise) {
        const auto found = state.find(key);
        return found == state.end() ? otherwise : contract::parseReal(found->second).value_or(otherwise);
    };
    m_goldRounds = static_cast<std::int64_t>(number("gold.rounds", 0));
    m_bestGold = number("gold.best", 0);
    m_rewardAtBest = number("gold.reward_at_best", 0);
    m_roundsSinceBest = static_cast<std::int64_t>(number("gold.rounds_since_best", 0));
    m_isDiverging = state.contains(kDiverging);
    m_isFlat = state.contains(kFlat);
    m_isExploding = state.contains(kExploding);
}

}  // namespace engine

// Watches the rounds of a run for signs that the reward no longer says what the user wants.
#pragma once
#include "engine/contract/experiment/policy_settings.h"
#include "engine/train/forward_steps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// Metric of the watched reward's mean over the samples of a round.
inline constexpr char kGoldReward[] = "critic/gold/mean";

/// Reads numbers that are equal on all ranks, so all ranks decide alike. Each notice is given once, and again after
/// the condition had cleared.
class RewardWatch {
public:
    explicit RewardWatch(const contract::PolicySettings& settings);

    /// @param metrics of a round @return what is worth an event of the journal
    std::vector<std::string> addRound(const NamedNumbers& metrics);
    /// @param metrics of an update
    std::vector<std::string> addUpdate(const NamedNumbers& metrics);

    /// Why the run should stop; empty: it should go on.
    const std::string& stopReason() const { return m_stopReason; }

    /// State for a resume.
    std::map<std::string, std::string> toState() const;
    void restore(const std::map<std::string, std::string>& state);

private:
    void watchGold(double gold, double reward, std::vector<std::string>& notices);
    /// Adds @p notice when @p isSo becomes true.
    void note(bool isSo, bool& wasSo, const std::string& notice, std::vector<std::string>& notices);

    std::int64_t m_patience;
    std::int64_t m_goldRounds = 0;       ///< rounds with a watched reward
    double m_bestGold = 0, m_rewardAtBest = 0;
    std::int64_t m_roundsSinceBest = 0;
    bool m_isDiverging = false, m_isFlat = false, m_isExploding = false;
    std::string m_stopReason;
};

}  // namespace engine

#include "app/cli/progress.h"

#include "app/cli/format.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

std::optional<double> numberOf(const contract::JournalLine& line, const char* name)
{
    const contract::JournalField* field = line.field(name);
    return field && field->isNumber ? std::optional(field->number) : std::nullopt;
}

}  // namespace

void Progress::begin()
{
    m_step = 0;
    m_reward.reset();
    m_recent.clear();
}

void Progress::addStep(const contract::JournalLine& line)
{
    constexpr double kWindowMs = 30'000;
    m_step = line.step;
    m_loss = numberOf(line, contract::metric::kLoss);
    m_gradNorm = numberOf(line, contract::metric::kGradNorm);
    m_imagesPerSecond = numberOf(line, contract::metric::kImagesPerSecond);
    m_recent.push_back({line.step, line.tMs});
    while (m_recent.size() > 2 && line.tMs - m_recent.front().tMs > kWindowMs)
        m_recent.pop_front();
}

void Progress::addMetrics(const contract::JournalLine& line)
{
    if (const auto reward = numberOf(line, contract::metric::kReward))
        m_reward = reward;
}

std::optional<std::chrono::milliseconds> Progress::timeLeft() const
{
    if (m_recent.size() < 2)
        return std::nullopt;
    const auto steps = static_cast<double>(m_recent.back().step - m_recent.front().step);
    const double elapsedMs = m_recent.back().tMs - m_recent.front().tMs;
    if (steps <= 0 || elapsedMs < 0)
        return std::nullopt;
    const auto left = static_cast<double>(std::max<std::int64_t>(m_totalSteps - m_step, 0));
    constexpr double kLongestMs = 1e15;
    return std::chrono::milliseconds(std::llround(std::min(elapsedMs / steps * left, kLongestMs)));
}

std::string Progress::text() const
{
    const std::int64_t percent = m_totalSteps > 0 ? m_step * 100 / m_totalSteps : 0;
    std::string text = "step " + formatCount(m_step) + "/" + formatCount(m_totalSteps) + " ("
        + std::to_string(percent) + " %)";
    if (m_reward)
        text += "  reward " + formatNumber(*m_reward);
    if (m_loss)
        text += "  loss " + formatNumber(*m_loss);
    if (m_gradNorm)
        text += "  gradient norm " + formatNumber(*m_gradNorm);
    if (m_imagesPerSecond && std::isfinite(*m_imagesPerSecond))
        text += "  " + formatRate(*m_imagesPerSecond) + " images/s";
    if (const auto left = timeLeft())
        text += "  " + formatDuration(*left) + " left";
    return text;
}

}  // namespace app

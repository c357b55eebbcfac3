#include "app/cli/progress.h"

#include "app/cli/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {

void Progress::addStep(const contract::JournalLine& line)
{
    constexpr double kWindowMs = 30'000;
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    m_step = line.step;
    m_loss = line.number(contract::metric::kLoss, kMissing);
    m_gradNorm = line.number(contract::metric::kGradNorm, kMissing);
    m_imagesPerSecond = line.number(contract::metric::kImagesPerSecond, kMissing);
    m_recent.push_back({line.step, line.tMs});
    while (m_recent.size() > 2 && line.tMs - m_recent.front().tMs > kWindowMs)
        m_recent.pop_front();
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
        + std::to_string(percent) + " %)  loss " + formatNumber(m_loss) + "  gradient norm "
        + formatNumber(m_gradNorm);
    if (std::isfinite(m_imagesPerSecond))
        text += "  " + formatCount(std::llround(m_imagesPerSecond)) + " images/s";
    if (const auto left = timeLeft())
        text += "  " + formatDuration(*left) + " left";
    return text;
}

}  // namespace app

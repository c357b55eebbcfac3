#include "engine/rounds/reference_control.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>

namespace engine {

ReferenceControl::ReferenceControl(const contract::PolicySettings& settings)
    : m_target(settings.klTarget)
    , m_coefficient(settings.klCoefficient)
{
}

bool ReferenceControl::add(const NamedNumbers& metrics)
{
    const auto stepwise = metrics.find("actor/kl_loss"), found = stepwise == metrics.end() ? metrics.find("actor/ref_kl_loss") : stepwise;
    if (m_target == 0 || found == metrics.end() || !std::isfinite(found->second))
        return false;
    m_coefficient *= 1 + 0.1 * std::clamp(found->second / m_target - 1, -1.0, 1.0);
    return true;
}

std::map<std::string, std::string> ReferenceControl::toState() const
{
    if (m_target == 0)
        return {};
    return {{"policy.kl_coef", contract::shortestText(m_coefficient)}};
}

void ReferenceControl::restore(const std::map<std::string, std::string>& state)
{
    const auto found = state.find("policy.kl_coef");
    if (m_target != 0 && found != state.end())
        m_coefficient = contract::parseReal(found->second).value_or(m_coefficient);
}

}  // namespace engine

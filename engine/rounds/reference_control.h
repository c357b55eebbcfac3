// Adapts the weight of the reference in the loss, so that the divergence from it comes near to a target.
#pragma once
#include "engine/contract/experiment/policy_settings.h"
#include "engine/train/forward_steps.h"

#include <map>
#include <string>

namespace engine {

/// After each update the weight grows by a tenth of how far the divergence exceeds the target, relative to the target, or shrinks
/// likewise; by a tenth at most (Ziegler et al., 2019, with another rate). The same on all ranks.
class ReferenceControl {
public:
    explicit ReferenceControl(const contract::PolicySettings& settings);

    double coefficient() const { return m_coefficient; }
    /// @param metrics of an update @return whether the coefficient has changed
    bool add(const NamedNumbers& metrics);

    std::map<std::string, std::string> toState() const;
    void restore(const std::map<std::string, std::string>& state);

private:
    double m_target, m_coefficient;
};

}  // namespace engine

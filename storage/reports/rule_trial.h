// Where the rules of run.rules have fired in a run, or would have (N7).
#pragma once
#include "engine/contract/experiment/acting_rules.h"
#include "storage/store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace storage {

struct RuleTrial {
    struct Firing {
        int attempt = 1;
        std::int64_t step = 0;
        double value = 0;  ///< of the rule's metric
        bool operator==(const Firing&) const = default;
    };
    contract::ActingRule rule;
    bool isRecorded = false;  ///< rank 0 recorded the rule's metric
    /// In the order of attempts and steps. After a rule that stops the run it would not have gone on; the firings after that are listed all the
    /// same.
    std::vector<Firing> firings;
};

/// Applies @p rules to everything that rank 0 recorded in each attempt, steps that a later attempt superseded too.
/// @throws StoreError.
std::vector<RuleTrial> tryRules(const Store& store, const std::string& runId, const std::vector<contract::ActingRule>& rules);

}  // namespace storage

#include "storage/reports/rule_trial.h"

#include <algorithm>

namespace storage {

std::vector<RuleTrial> tryRules(const Store& store, const std::string& runId, const std::vector<contract::ActingRule>& rules)
{
    std::vector<SeriesRow> series = store.series(runId);
    std::ranges::sort(series, {}, &SeriesRow::attempt);
    std::vector<RuleTrial> trials;
    for (const contract::ActingRule& rule : rules) {
        RuleTrial trial {.rule = rule, .firings = {}};
        for (const SeriesRow& row : series) {
            if (row.rank != 0 || row.metric != rule.metric)
                continue;
            trial.isRecorded = true;
            contract::RuleWatch watch(rule);
            for (const Point& point : store.points(row.id)) {
                if (watch.take(point.step, point.value))
                    trial.firings.push_back({row.attempt, point.step, point.value});
            }
        }
        trials.push_back(std::move(trial));
    }
    return trials;
}

}  // namespace storage

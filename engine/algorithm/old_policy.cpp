#include "engine/algorithm/old_policy.h"

#include "engine/comm/errors.h"
#include "engine/shard/weight_copies.h"

#include <algorithm>
#include <map>
#include <string>

namespace engine {
namespace {

[[noreturn]] void refuseOldPolicy(const std::string& sentence) { throw EngineError(EngineError::Kind::WrongUsage, sentence); }

}  // namespace

double OldPolicySchedule::decay(std::int64_t step) const
{
    return step < warmup ? 0 : std::min(static_cast<double>(step - warmup) * ratePerStep, maxDecay);
}

OldPolicySchedule oldPolicySchedule(std::string_view name)
{
    static const std::map<std::string_view, OldPolicySchedule> schedules
        = {{"copy", {0, 0, 0}}, {"delayed_linear_to_0_999", {75, 0.0075, 0.999}}, {"linear_to_0_3", {0, 0.001, 0.3}},
            {"linear_to_0_5", {0, 0.001, 0.5}}};
    const auto found = schedules.find(name);
    if (found == schedules.end())
        refuseOldPolicy("the schedule \"" + std::string(name)
            + "\" of the old policy is not supported; supported: copy, delayed_linear_to_0_999, linear_to_0_3, linear_to_0_5");
    return found->second;
}

OldPolicy::OldPolicy(OldPolicySchedule schedule, std::optional<double> decay, std::int64_t interval)
    : m_schedule(schedule)
    , m_decay(decay)
    , m_interval(interval)
{
    if (decay && !(*decay >= 0 && *decay <= 1))
        refuseOldPolicy("the old policy's decay is " + std::to_string(*decay) + ", but must be from 0 to 1");
    if (interval < 1)
        refuseOldPolicy("the old policy cannot be updated every " + std::to_string(interval)
            + " steps: the interval must be 1 or more");
}

OldPolicy::Update OldPolicy::updateAfter(std::int64_t step) const
{
    if (step % m_interval != 0)
        return {};
    const double decay = m_decay.value_or(m_schedule.decay(step));
    return {decay == 0 ? Kind::Copy : Kind::Average, decay};
}

OldPolicy::Update OldPolicy::follow(UnitSequence& units, std::int64_t step) const
{
    const Update update = updateAfter(step);
    if (update.kind != Kind::None)
        averageOld(units, update.decay);
    return update;
}

}  // namespace engine

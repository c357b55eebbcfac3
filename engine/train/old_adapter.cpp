#include "engine/train/old_adapter.h"

#include "engine/comm/errors.h"
#include "engine/model/adapter_state.h"
#include "engine/model/adapters.h"

#include <algorithm>
#include <map>
#include <string>

namespace engine {
namespace {

[[noreturn]] void refuseFollowing(const std::string& sentence) { throw EngineError(EngineError::Kind::WrongUsage, sentence); }

}  // namespace

double OldAdapterSchedule::decay(std::int64_t step) const
{
    return step < warmup ? 0 : std::min(static_cast<double>(step - warmup) * rate, most);
}

OldAdapterSchedule oldAdapterSchedule(std::string_view name)
{
    static const std::map<std::string_view, OldAdapterSchedule> schedules
        = {{"copy", {0, 0, 0}}, {"delayed_linear_to_0_999", {75, 0.0075, 0.999}}, {"linear_to_0_5", {0, 0.001, 0.5}}};
    const auto found = schedules.find(name);
    if (found == schedules.end())
        refuseFollowing("the old adapter does not follow as \"" + std::string(name) + "\"; known: copy, delayed_linear_to_0_999, linear_to_0_5");
    return found->second;
}

OldAdapter::OldAdapter(OldAdapterSchedule schedule, std::optional<double> decay, std::int64_t interval)
    : m_schedule(schedule)
    , m_decay(decay)
    , m_interval(interval)
{
    if (decay && !(*decay >= 0 && *decay <= 1))
        refuseFollowing("the old adapter's decay = " + std::to_string(*decay) + " must be from 0 to 1");
    if (interval < 1)
        refuseFollowing("the old adapter follows every " + std::to_string(interval) + " steps: it must be 1 or more");
}

OldAdapter::Update OldAdapter::follow(UnitSequence& units, std::int64_t step) const
{
    if (step % m_interval != 0)
        return {};
    const double decay = m_decay.value_or(m_schedule.decay(step));
    averageAdapter(units, kDefaultAdapter, kOldAdapter, decay);
    return {decay == 0 ? Kind::Copy : Kind::Average, decay};
}

}  // namespace engine

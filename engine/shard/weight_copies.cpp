#include "engine/shard/weight_copies.h"

#include "engine/comm/errors.h"

#include <ATen/ops/lerp.h>

#include <algorithm>
#include <string>

namespace engine {

void startCopies(UnitSequence& units)
{
    for (Unit* unit : units.parts())
        unit->startCopies();
}

void averageOld(UnitSequence& units, double decay)
{
    if (!(decay >= 0 && decay <= 1))
        throw EngineError(EngineError::Kind::WrongUsage,
            "the decay of the old policy's weights is " + std::to_string(decay) + ", but must be from 0 to 1");
    if (std::ranges::none_of(units.parts(), [](const Unit* unit) { return unit->old.defined(); }))
        throw EngineError(EngineError::Kind::WrongUsage, "no weights of an old policy are kept");
    for (Unit* unit : units.parts()) {
        if (!unit->old.defined())
            continue;
        if (decay == 0)
            unit->old.copy_(unit->master);
        else
            unit->old.lerp_(unit->master.to(at::kFloat), 1 - decay);
    }
}

}  // namespace engine

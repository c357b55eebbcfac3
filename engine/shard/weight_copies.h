// The copies of the weights that train: what each is when training begins, and how "old" follows.
#pragma once
#include "engine/shard/unit_sequence.h"

namespace engine {

/// Shard::startCopies() of all units. Not a collective.
void startCopies(UnitSequence& units);

/// old ← decay · old + (1 - decay) · master, in float32; decay 0 copies, 1 changes nothing (rows E-097, E-098). Not a collective, but
/// every rank must call it, for its own shards.
/// @throws EngineError WrongUsage for a decay outside [0, 1], or where no old weights are kept.
void averageOld(UnitSequence& units, double decay);

}  // namespace engine

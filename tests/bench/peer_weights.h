// The benchmarks' model on our engine with the weights that tests/peers/fsdp2_dit.py draws.
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <map>
#include <string>

namespace bench {

struct Preset {
    std::int64_t image, channels, patch, width, depth, heads, classes, batch;
};

/// As in the peer, by name.
const std::map<std::string, Preset>& presets();

/// What a mutation removes from our side. The comparison with the peer must notice it (ctest bench-gate).
enum class Drop { Nothing, Block, Attention };

/// Draws the weights that the peer draws, in its order and from its generator; this rank computes those of its shards only.
/// @param drop Block: the model has one block less than the peer's, and the weights of one in the middle are passed over
void initialise(engine::UnitSequence& units, std::uint32_t seed, Drop drop);

}  // namespace bench

// What all replicas of a shard need, read once among them.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Fills @p into with elements [begin, begin + its own number) of a shard, as far as there are values for them.
using ReadRange = std::function<void(std::int64_t begin, const at::Tensor& into)>;

/// Each replica reads its part of the values, and all send each other theirs. Collective in @p replicas.
/// @param values [n] of this rank's shard, filled in place, on any device; equal on all replicas
/// @param device where @p replicas exchange
void readDivided(const at::Tensor& values, Group& replicas, c10::Device device, const ReadRange& read);

}  // namespace engine

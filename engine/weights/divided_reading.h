// Reads a shard that several replicas need, each replica a part of it.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Fills @p into with elements [begin, begin + into.numel()) of a shard. Those without a value in the source stay as they are.
using ReadRange = std::function<void(std::int64_t begin, const at::Tensor& into)>;

/// Fills @p values: each replica reads its part, then an all-gather exchanges the parts. Collective in @p replicas.
/// @param values [n] of this rank's shard, on any device; equal on all replicas before and after
/// @param device device of the all-gather
void readDivided(const at::Tensor& values, Group& replicas, c10::Device device, const ReadRange& read);

}  // namespace engine

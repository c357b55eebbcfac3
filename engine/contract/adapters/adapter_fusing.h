// Combines the adapters of several diffusers layers that are one fused layer in the original model.
#pragma once
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/adapters/original_names.h"
#include "engine/contract/formats/sharded_export.h"

#include <vector>

namespace contract {

/// The tensors A, B and alpha of @p layer, named as in Kohya's files. If the layer has several parts, all get the largest
/// rank among them: A stacks their A matrices, and B is block-diagonal; parts without an adapter are zero. Scales that
/// differ from that of the first part with an adapter are multiplied into B. Alpha is float64 in any export dtype, since it
/// holds scale · rank, which need not be an integer. Valid as long as @p adapter's checkpoint.
/// @param layer at least one of its parts must have an adapter
/// @throws std::runtime_error naming a part whose shapes do not match those of the other parts.
std::vector<ExportedTensor> fusedAdapterTensors(const TrainedAdapter& adapter, const OriginalLayer& layer);

}  // namespace contract

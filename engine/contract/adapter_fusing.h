// Layers of diffusers that are one layer of a model's authors, as one adapter.
#pragma once
#include "engine/contract/adapter_export.h"
#include "engine/contract/original_names.h"
#include "engine/contract/sharded_export.h"

#include <vector>

namespace contract {

/// A, B and alpha of a layer, named as Kohya's files name them. Where the layer has several parts, each keeps a rank of its
/// own, that of the largest: A has theirs one after another, and B is block-diagonal; parts without an adapter are zero.
/// Scales that differ from the first part's are multiplied into B. Valid as long as @p adapter's checkpoint.
/// @param layer of which at least one part has an adapter
/// @throws std::runtime_error naming a part whose matrices do not fit the others.
std::vector<ExportedTensor> asOneAdapter(const TrainedAdapter& adapter, const OriginalLayer& layer);

}  // namespace contract

// The loss on held-out data, at noise levels and noise that never change.
#pragma once
#include "engine/comm/group.h"
#include "engine/data/digits.h"
#include "engine/model/model.h"

namespace engine {

/// Mean flow-matching loss over @p data. Collective; the rows are split over the
/// ranks and the result is the same on all of them and for any number of ranks, up to rounding.
/// @return NaN when there are no rows.
double validationLoss(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const LabelledImages& data, std::uint64_t seed, c10::Device device);

}  // namespace engine

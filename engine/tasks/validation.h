// The loss on held-out labelled images, with fixed noise levels and noise.
#pragma once
#include "engine/comm/group.h"
#include "engine/data/digits.h"
#include "engine/models/transformer/model.h"

#include <optional>

namespace engine {

/// Returns the mean flow-matching loss over @p data, none when it is empty. Collective: the rows are divided among the ranks.
/// The result is the same on all ranks and, up to rounding, for any number of ranks.
std::optional<double> validationLoss(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const LabelledImages& data, std::uint64_t seed, c10::Device device);

}  // namespace engine

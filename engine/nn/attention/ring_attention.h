// Attention over a ring of ranks (Liu et al., 2023).
#pragma once
#include "engine/comm/group.h"
#include "engine/nn/attention/attention.h"

#include <vector>

namespace engine {

/// attend() where each rank of @p ring has some tokens of the divided streams and all tokens of the others. Keys and values of
/// divided streams are sent once around the ring, so that each rank's queries attend to all of them. Outputs of undivided
/// streams are complete on every rank; their gradients are partial and add up over the ranks. Collective, also in
/// backward. The parts are computed by ringKernel().
/// @param form for the whole sequence: rotations and biases of all tokens. A sample whose keys are all masked gets zeros.
std::vector<Var> attendOverRing(
    Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form, Group& ring);

}  // namespace engine

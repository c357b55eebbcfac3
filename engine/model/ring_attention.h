// Attention over a ring of ranks (Liu et al., 2023).
#pragma once
#include "engine/comm/group.h"
#include "engine/model/attention.h"

#include <vector>

namespace engine {

/// attend() where each rank of @p ring has some tokens of the divided streams and all tokens of the others. Keys and values of
/// divided streams travel once round the ring; each rank's queries meet all of them. Results of undivided streams are on all
/// ranks; gradients of what is undivided are parts, which add up over the ranks. Collective, in backward too.
/// The parts are computed by ringKernel().
/// @param form for the whole sequence: all tokens' rotations and biases. A sample without a key that is not masked gets zeros.
std::vector<Var> attendOverRing(
    Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form, Group& ring);

}  // namespace engine

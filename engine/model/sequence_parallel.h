// Attention over a sequence whose tokens lie on several ranks: Ulysses (Jacobs et al., 2023), ring (Liu et al.,
// 2023), or both. See [Note: meshes] in contract/mesh_shape.h.
#pragma once
#include "engine/comm/group.h"
#include "engine/model/attention.h"
#include "engine/model/tape.h"

#include <cstdint>

namespace engine {

/// The ranks that share a sample. Rank r of S has tokens r · N/S up to (r + 1) · N/S, where r counts Ulysses ranks
/// first. The groups outlive the model; nullptr stands for a rank alone.
struct SequenceGroups {
    Group* ring = nullptr;
    Group* ulysses = nullptr;
    AttentionKernel kernel = AttentionKernel::Automatic;  ///< asked for, for each rank's part; see chosenKernel()

    int ringSize() const { return ring ? ring->size() : 1; }
    int ulyssesSize() const { return ulysses ? ulysses->size() : 1; }
    int size() const { return ringSize() * ulyssesSize(); }
    int rank() const { return (ring ? ring->rank() : 0) * ulyssesSize() + (ulysses ? ulysses->rank() : 0); }
};

/// softmax(Q K^T / √d) V over the whole sequence: n of its N tokens are here. Collective over the groups, in
/// backward too.
/// @param qkv [B, n, 3 · heads · d] → [B, n, heads · d]; heads is a multiple of the Ulysses ranks
Var attention(Tape& tape, Var qkv, std::int64_t heads, const SequenceGroups& groups);

/// attend() among streams of which some are divided over the ranks and the others are on all of them, which then hold
/// parts of the latter's gradients: those of parameters add up over ranks to what they should be. Collective over the
/// groups, in backward too.
/// @param form for the whole sequence: all heads, all tokens' rotations and biases; heads is a multiple of the Ulysses ranks
std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form,
    const SequenceGroups& groups);

/// [B, n, D] → [B, N, D] with all tokens on every rank. Each rank then computes the same loss; backward keeps the
/// gradient of this rank's tokens, so that gradients of parameters add up over ranks to those of one loss.
Var gatherTokens(Tape& tape, Var x, const SequenceGroups& groups);

}  // namespace engine

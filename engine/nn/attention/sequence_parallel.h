// Attention over a sequence whose tokens are divided over several ranks: Ulysses (Jacobs et al., 2023), ring (Liu et al.,
// 2023), or both. See [Note: meshes] in contract/experiment/mesh_shape.h.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/comm/group.h"
#include "engine/nn/attention/attention.h"

#include <cstdint>

namespace engine {

/// The ranks that share a sample. Rank r of S has tokens [r · N/S, (r + 1) · N/S), where r counts Ulysses ranks first.
/// The groups must outlive the model; nullptr means one rank.
struct SequenceGroups {
    Group* ring = nullptr;
    Group* ulysses = nullptr;
    AttentionKernel kernel = AttentionKernel::Automatic;  ///< the requested one, for each rank's part; see chosenKernel()

    int ringSize() const { return ring ? ring->size() : 1; }
    int ulyssesSize() const { return ulysses ? ulysses->size() : 1; }
    int size() const { return ringSize() * ulyssesSize(); }
    int rank() const { return (ring ? ring->rank() : 0) * ulyssesSize() + (ulysses ? ulysses->rank() : 0); }
};

/// softmax(Q K^T / √d) V over the whole sequence; this rank has n of its N tokens. Collective over the groups, also in
/// backward.
/// @param qkv [B, n, 3 · heads · d] → [B, n, heads · d]; heads is a multiple of the Ulysses ranks
Var attention(Tape& tape, Var qkv, std::int64_t heads, const SequenceGroups& groups);

/// attend() among streams of which some are divided over the ranks and the others are replicated on every rank. Each rank
/// then has partial gradients of the replicated streams; gradients of parameters are correct once summed over the ranks.
/// Collective over the groups, also in backward.
/// @param form for the whole sequence: all heads, rotations and biases of all tokens; heads is a multiple of the Ulysses ranks
std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form,
    const SequenceGroups& groups);

/// [B, n, D] → [B, N, D] with all tokens on every rank. Every rank then computes the same loss, and backward keeps only the
/// gradient of this rank's tokens, so that gradients of parameters, summed over the ranks, are those of one loss.
Var gatherTokens(Tape& tape, Var x, const SequenceGroups& groups);

}  // namespace engine

// Attention among the tokens of one or several streams, by the way that suits its length and device.
#pragma once
#include "engine/model/attention_kernel.h"
#include "engine/model/head_kernels.h"
#include "engine/model/tape.h"
#include "engine/shard/parameter.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Part number @p part of a layer's output [B, n, parts · heads · d], which nobody but the attention reads.
struct ProjectedPart {
    Var value = nullptr;
    std::int64_t part = 0;
};

/// Tokens of one kind, a picture's or a text's, with projections of their own.
struct AttentionStream {
    ProjectedPart query;       ///< no value: its tokens ask nobody, and have no result
    ProjectedPart key, value;  ///< no value: nobody asks them
    Parameter* queryNorm = nullptr;  ///< [d] of an RMSNorm over each head; nullptr: none
    Parameter* keyNorm = nullptr;
    bool isDivided = false;  ///< its tokens lie on several ranks, each rank's after those of the one before

    /// @param qkv [B, n, 3 · heads · d], the three parts one after the other
    static AttentionStream of(Var qkv, Parameter* queryNorm = nullptr, Parameter* keyNorm = nullptr)
    {
        return {{qkv, 0}, {qkv, 1}, {qkv, 2}, queryNorm, keyNorm, false};
    }
};

struct AttentionForm {
    std::int64_t heads = 1;
    std::int64_t headSize = 1;
    double normEpsilon = kNormEpsilon;
    RotaryTable rotary = {};   ///< turns queries and keys after their norms: a row for each token of all streams
    at::Tensor keyBias = {};   ///< [B, keys of all streams] float32, added to the scores: see keyBias()
    AttentionKernel kernel = AttentionKernel::Automatic;  ///< asked for; see chosenKernel()
};

/// 0 where the mask is true and -infinity elsewhere. @param mask [B, N] bool, each sample's with a true one
at::Tensor keyBias(const at::Tensor& mask);

/// softmax(Q K^T / √d + bias) V, where queries, keys and values of all streams stand one after the other.
/// @return [B, n, heads · d] for each stream with queries, in their order
std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form);

/// Within one sequence. @param qkv [B, N, 3 · heads · d] → [B, N, heads · d]
Var selfAttention(Tape& tape, Var qkv, std::int64_t heads);

}  // namespace engine

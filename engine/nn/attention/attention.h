// Attention among the tokens of one or several streams, by the kernel that suits its length and device.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/kernels/head_kernels.h"
#include "engine/nn/attention/attention_kernel.h"
#include "engine/shard/parameter.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Part @p part of a layer's output [B, n, parts · heads · d]. Only the attention may read that output, because it
/// overwrites its gradient.
struct ProjectedPart {
    Var value = nullptr;
    std::int64_t part = 0;
};

/// Tokens of one kind (of an image, of a text) with their own projections.
struct AttentionStream {
    ProjectedPart query;       ///< null if the stream has keys and values only; it then has no output
    ProjectedPart key, value;  ///< null if no query attends to the stream
    Parameter* queryNorm = nullptr;  ///< [d] of an RMSNorm over each head; nullptr: none
    Parameter* keyNorm = nullptr;
    bool isDivided = false;  ///< its tokens are divided over the ranks, in rank order

    /// @param qkv [B, n, 3 · heads · d]: queries, keys, values
    static AttentionStream of(Var qkv, Parameter* queryNorm = nullptr, Parameter* keyNorm = nullptr)
    {
        return {{qkv, 0}, {qkv, 1}, {qkv, 2}, queryNorm, keyNorm, false};
    }
};

struct AttentionForm {
    std::int64_t heads = 1;
    std::int64_t headSize = 1;
    double normEpsilon = kNormEpsilon;
    RotaryTable rotary = {};   ///< rotates queries and keys after their norms; one row for each token of all streams
    at::Tensor keyBias = {};   ///< [B, keys of all streams] float32, added to the scores: see keyBias()
    AttentionKernel kernel = AttentionKernel::Automatic;  ///< the requested one; see chosenKernel()
};

/// 0 where the mask is true, -infinity elsewhere. @param mask [B, N] bool, with at least one true per sample
at::Tensor keyBias(const at::Tensor& mask);

/// softmax(Q K^T / √d + bias) V, where queries, keys and values of all streams are concatenated.
/// @return [B, n, heads · d] for each stream with queries, in the order of @p streams
std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form);

/// Attention within one sequence. @param qkv [B, N, 3 · heads · d] → [B, N, heads · d]
Var selfAttention(Tape& tape, Var qkv, std::int64_t heads);

}  // namespace engine

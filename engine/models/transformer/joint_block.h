// A transformer block with separate weights for prompt tokens and image tokens and one attention over both, the prompt's tokens
// first. Flux and Qwen-Image use it (after Esser et al., 2024).
#pragma once
#include "engine/autograd/tape.h"
#include "engine/nn/attention/attention.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/block_pass.h"
#include "engine/nn/parameter_places.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Checkpoint names of the layers that Flux and Qwen-Image name differently.
struct JointBlockNames {
    const char* ada;
    const char* promptAda;
    const char* mlp;
    const char* promptMlp;
};

/// Image tokens at the end of the sequence that have a condition of their own (Qwen-Image: those of reference images).
struct LastTokens {
    std::int64_t count = 0;   ///< number of them on this rank
    Var condition = nullptr;  ///< [B, width], after its silu
};

/// Dims: B samples, N image tokens, L prompt tokens, D width.
class JointBlock {
public:
    /// Declares the parameters in @p builder. @param width D = heads · @p headSize
    JointBlock(SpecBuilder& builder, const JointBlockNames& names, std::int64_t width, std::int64_t headSize);

    struct Tokens {
        Var image;   ///< [B, N, D]
        Var prompt;  ///< [B, L, D]
    };
    /// @param condition [B, D], after its silu; @param form has a rotary table of L + N rows
    /// @param sequence ranks that the image tokens are divided over; each rank has all prompt tokens
    /// @param last image tokens with another condition; count 0 (the default): all use @p condition
    Tokens run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
        const AttentionForm& form, const SequenceGroups& sequence, const LastTokens& last = {}) const;

private:
    struct Stream {
        LinearPlace ada, query, key, value, out, up, down;
        std::size_t queryNorm = 0, keyNorm = 0;
    };
    /// Consecutive tokens of a stream that share one modulation. A stream consists of one or two parts.
    struct Part {
        Var tokens, ada;
    };
    using Parts = std::vector<Part>;
    static AttentionStream streamOf(Tape& tape, const BlockParameters& parameters, const Stream& stream, const Parts& parts);
    static Var afterAttention(Tape& tape, const BlockParameters& parameters, const Stream& stream, Parts parts, Var attended);
    Parts imageParts(Tape& tape, const BlockParameters& parameters, Var tokens, Var condition, const LastTokens& last) const;

    Stream m_image, m_prompt;
};

}  // namespace engine

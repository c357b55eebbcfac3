// A block over a prompt's and a picture's tokens, each with weights of their own, that all attend to all: the prompt's
// first. Flux and Qwen-Image are made of them (after Esser et al., 2024).
#pragma once
#include "engine/model/attention.h"
#include "engine/model/block_pass.h"
#include "engine/model/parameter_places.h"
#include "engine/model/sequence_parallel.h"
#include "engine/model/tape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// What a checkpoint calls the parts whose names differ between models.
struct JointBlockNames {
    const char* ada;
    const char* promptAda;
    const char* mlp;
    const char* promptMlp;
};

/// The picture's last tokens, where they are told something else than the first ones.
struct LastTokens {
    std::int64_t count = 0;   ///< of those here
    Var condition = nullptr;  ///< [B, width], after its silu
};

/// Dims: B samples, N tokens of the picture, L of the prompt, D width.
class JointBlock {
public:
    /// Adds its parameters to @p builder. @param width D = heads · @p headSize
    JointBlock(SpecBuilder& builder, const JointBlockNames& names, std::int64_t width, std::int64_t headSize);

    struct Tokens {
        Var image;   ///< [B, N, D]
        Var prompt;  ///< [B, L, D]
    };
    /// @param condition [B, D], after its silu; @param form with a rotary table of L + N rows
    /// @param sequence ranks that the picture's tokens are divided over; each has all of the prompt's
    Tokens run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
        const AttentionForm& form, const SequenceGroups& sequence, const LastTokens& last = {}) const;

private:
    struct Stream {
        LinearPlace ada, query, key, value, out, up, down;
        std::size_t queryNorm = 0, keyNorm = 0;
    };
    /// Tokens of a stream that follow each other and are modulated alike; those of a stream are its parts.
    struct Part {
        Var tokens, ada;
    };
    using Parts = std::vector<Part>;
    static AttentionStream asked(Tape& tape, const BlockParameters& parameters, const Stream& stream, const Parts& parts);
    static Var updated(Tape& tape, const BlockParameters& parameters, const Stream& stream, Parts parts, Var attended);
    Parts imageParts(Tape& tape, const BlockParameters& parameters, Var tokens, Var condition, const LastTokens& last) const;

    Stream m_image, m_prompt;
};

}  // namespace engine

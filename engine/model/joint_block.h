// A block over a prompt's and a picture's tokens, each with weights of their own, that all attend to all: the prompt's
// first. Flux and Qwen-Image are made of them (after Esser et al., 2024).
#pragma once
#include "engine/model/attention.h"
#include "engine/model/block_pass.h"
#include "engine/model/parameter_places.h"
#include "engine/model/sequence_parallel.h"
#include "engine/model/tape.h"

#include <string>

namespace engine {

/// What a checkpoint calls the parts whose names differ between models.
struct JointBlockNames {
    const char* ada;
    const char* promptAda;
    const char* mlp;
    const char* promptMlp;
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
        const AttentionForm& form, const SequenceGroups& sequence) const;

private:
    struct Stream {
        LinearPlace ada, query, key, value, out, up, down;
        std::size_t queryNorm = 0, keyNorm = 0;
    };
    static AttentionStream asked(Tape& tape, const BlockParameters& parameters, const Stream& stream, Var tokens, Var ada);
    static Var updated(Tape& tape, const BlockParameters& parameters, const Stream& stream, Var tokens, Var ada, Var attended);

    Stream m_image, m_prompt;
};

}  // namespace engine

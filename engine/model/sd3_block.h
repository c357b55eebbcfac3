// A block of Stable Diffusion 3 and 3.5 (Esser et al., 2024) over a picture's and a prompt's tokens, each with weights of
// their own, that all attend to all: the picture's first. 3.5 lets the picture's tokens attend to each other a second time.
#pragma once
#include "engine/model/attention.h"
#include "engine/model/parameter_places.h"
#include "engine/model/sequence_parallel.h"
#include "engine/model/tape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

struct Sd3BlockForm {
    std::int64_t heads = 1, headSize = 64;
    bool normsQueries = false;     ///< RMSNorm of each head's queries and keys
    bool hasDualAttention = false;
    bool isLast = false;           ///< nobody reads its prompt, which is only looked at

    std::int64_t width() const { return heads * headSize; }
};

/// Dims: B samples, N tokens of the picture, L of the prompt, D width.
class Sd3Block {
public:
    /// Adds its parameters to @p builder.
    Sd3Block(SpecBuilder& builder, const Sd3BlockForm& form);

    struct Tokens {
        Var image = nullptr;   ///< [B, N, D]
        Var prompt = nullptr;  ///< [B, L, D]; none after the last block
    };
    /// @param condition [B, D], before its silu
    /// @param attention over the heads of this block
    /// @param sequence ranks that the picture's tokens are divided over; each has all of the prompt's
    Tokens run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
        const AttentionForm& attention, const SequenceGroups& sequence) const;

private:
    /// Of the modulation, each D wide.
    enum Part : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2, Parts, DualShift = Parts, DualScale, DualGate, DualParts };

    struct Projections {
        LinearPlace query, key, value;
        ParameterPlace queryNorm, keyNorm;
    };
    struct Stream {
        LinearPlace ada, out, up, down;
        Projections attention;
    };
    Projections declareProjections(SpecBuilder& builder, const std::vector<std::string>& names) const;
    static AttentionStream streamOf(Tape& tape, const BlockParameters& parameters, const Projections& places, Var tokens);
    AttentionStream promptStream(Tape& tape, const BlockParameters& parameters, Var prompt, Var ada) const;

    Sd3BlockForm m_form;
    Stream m_image, m_prompt;  ///< the last block's prompt has neither out nor up nor down
    Projections m_dual;        ///< where it has one
    LinearPlace m_dualOut;
};

}  // namespace engine

// A block of Stable Diffusion 3 and 3.5 (Esser et al., 2024): separate weights for image tokens and prompt tokens, and one
// attention over both, the image's tokens first. Some blocks of 3.5 add a second attention among the image tokens.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/nn/attention/attention.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/parameter_places.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

struct Sd3BlockForm {
    std::int64_t heads = 1, headSize = 64;
    bool normsQueries = false;      ///< RMSNorm of each head's queries and keys
    bool hasDualAttention = false;  ///< a second attention among the image tokens
    bool isLast = false;            ///< prompt tokens have keys and values only, and no output

    std::int64_t width() const { return heads * headSize; }
};

/// Dims: B samples, N image tokens, L prompt tokens, D width.
class Sd3Block {
public:
    /// Declares the parameters in @p builder.
    Sd3Block(SpecBuilder& builder, const Sd3BlockForm& form);

    struct Tokens {
        Var image = nullptr;   ///< [B, N, D]
        Var prompt = nullptr;  ///< [B, L, D]; null after the last block
    };
    /// @param condition [B, D], before its silu
    /// @param attention heads and head size of this block
    /// @param sequence ranks that the image tokens are divided over; each rank has all prompt tokens
    Tokens run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
        const AttentionForm& attention, const SequenceGroups& sequence) const;

private:
    /// Parts of the modulation, each D wide.
    enum Part : std::int64_t {
        Shift1, Scale1, Gate1, Shift2, Scale2, Gate2, Parts, DualShift = Parts, DualScale, DualGate, DualParts
    };

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
    Stream m_image, m_prompt;  ///< in the last block, out, up and down of m_prompt are unused
    Projections m_dual;        ///< used with hasDualAttention
    LinearPlace m_dualOut;
};

}  // namespace engine

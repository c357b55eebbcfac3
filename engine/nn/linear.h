// x W^T + b, with gradients that are written directly into a unit's flat buffer.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/shard/parameter.h"

#include <c10/util/SmallVector.h>

namespace engine {

struct LinearWeights {
    Parameter* weight = nullptr;  ///< [out, …]; may be a convolution's, with x as its patches
    Parameter* bias = nullptr;    ///< [out]; nullptr: none
};

/// Linears that read the same input; their outputs are concatenated along the last dim.
using LinearGroup = c10::SmallVector<LinearWeights, 3>;

/// @param x [..., in] → [..., out]
Var linear(Tape& tape, Var x, const LinearWeights& weights);
inline Var linear(Tape& tape, Var x, Parameter& weight, Parameter& bias)
{
    return linear(tape, x, LinearWeights {&weight, &bias});
}

/// A single matrix product if the weights are adjacent in their unit. @return [..., sum of out]
Var linear(Tape& tape, Var x, const LinearGroup& group);

}  // namespace engine

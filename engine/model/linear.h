// x W^T + b, with gradients that go straight into a unit's flat buffer.
#pragma once
#include "engine/model/tape.h"
#include "engine/shard/parameter.h"

#include <c10/util/SmallVector.h>

namespace engine {

struct LinearWeights {
    Parameter* weight = nullptr;  ///< [out, …]: a convolution's too, whose patches are x
    Parameter* bias = nullptr;    ///< [out]; nullptr: none
};

/// Linears that read the same values, their outputs side by side.
using LinearGroup = c10::SmallVector<LinearWeights, 3>;

/// @param x [..., in] → [..., out]
Var linear(Tape& tape, Var x, const LinearWeights& weights);
inline Var linear(Tape& tape, Var x, Parameter& weight, Parameter& bias)
{
    return linear(tape, x, LinearWeights {&weight, &bias});
}

/// One product, where the weights follow each other in their unit. @return [..., sum of out]
Var linear(Tape& tape, Var x, const LinearGroup& group);

}  // namespace engine

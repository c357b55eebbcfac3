// From a projection's rows to the heads of attention and back: RMSNorm of each head, rotary embedding and scale on the
// way. Our own kernels on CPU, ATen elsewhere.
// Dims: B samples, n tokens, H heads, d elements of a head. Tensors are float32 or bfloat16 alike unless said; their
// last dim is contiguous.
#pragma once
#include "engine/model/kernels.h"

namespace engine {

/// Angles of a rotary embedding over interleaved pairs (Su et al., 2021): elements 2 i and 2 i + 1 turn together.
struct RotaryTable {
    at::Tensor cosines;  ///< [N, d] float32, each pair's twice; undefined: no rotation
    at::Tensor sines;    ///< [N, d] float32, those of even elements negative

    RotaryTable rows(std::int64_t first, std::int64_t count) const;
};

/// @param cosines, sines [N, d / 2] float32, one for each pair
RotaryTable rotaryTable(const at::Tensor& cosines, const at::Tensor& sines);

/// y = rotated(x / √(mean x² + ε) · weight) · scale over each head; what is undefined is left out.
struct HeadTransform {
    at::Tensor weight = {};   ///< [d]
    RotaryTable rotary = {};  ///< [n, d]
    double scale = 1;
    double epsilon = kNormEpsilon;
};

/// @param x [B, n, H, d], the strides of B and n those of rows that follow each other; @param out [B, H, n, d]
void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form = {});

/// @param gradient [B, H, n, d]; @param x, dx [B, n, H, d], strides as above; x is not read without a weight
/// @param addsToDx otherwise dx is written. @param dWeight [d] is added to; undefined: nobody asks
void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight, Arena& scratch);

/// @param x [B, H, n, d] → @param out [B, n, H, d]
inline void joinHeads(const at::Tensor& x, const at::Tensor& out, Arena& scratch)
{
    splitHeadsBackward(x, {}, out, false, {}, {}, scratch);
}

namespace plain {

void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form);
void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight);

}  // namespace plain
}  // namespace engine

// Rearranges a projection's rows to the heads of attention and back, and applies RMSNorm of each head, rotary embedding
// and scale in the same pass. Our own kernels on CPU, ATen elsewhere.
// Dims: B samples, n tokens, H heads, d elements of a head. The tensors of a call have one dtype, float32 or bfloat16,
// unless stated otherwise; their last dim is contiguous.
#pragma once
#include "engine/kernels/layer_kernels.h"

#include <cstdint>

namespace engine {

/// Angles of a rotary embedding over interleaved pairs (Su et al., 2021): elements 2 i and 2 i + 1 rotate together.
struct RotaryTable {
    at::Tensor cosines;  ///< [N, d] float32, each pair's value twice; undefined: no rotation
    at::Tensor sines;    ///< [N, d] float32, negated at even elements

    /// A view of the rows of tokens [first, first + count); undefined tensors stay undefined.
    RotaryTable rows(std::int64_t first, std::int64_t count) const;
};

/// @param cosines, sines [N, d / 2] float32, one for each pair
RotaryTable rotaryTable(const at::Tensor& cosines, const at::Tensor& sines);

/// y = rotated(x / √(mean x² + ε) · weight) · scale over each head. Steps whose tensor is undefined are skipped.
struct HeadTransform {
    at::Tensor weight = {};   ///< [d]
    RotaryTable rotary = {};  ///< [n, d]
    double scale = 1;
    double epsilon = kNormEpsilon;
};

/// @param x [B, n, H, d], whose rows [n] of consecutive samples are equally spaced: stride(0) = n · stride(1)
/// @param out [B, H, n, d]
void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form = {});

/// @param gradient [B, H, n, d] @param x, dx [B, n, H, d], strides as above; x is read only with a weight
/// @param addsToDx true adds to dx, false overwrites it @param dWeight [d], added to; undefined when it is not needed
void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight, Arena& scratch);

/// The inverse of splitHeads() without a transform. @param x [B, H, n, d] @param out [B, n, H, d]
inline void joinHeads(const at::Tensor& x, const at::Tensor& out, Arena& scratch)
{
    splitHeadsBackward(x, {}, out, false, {}, {}, scratch);
}

namespace reference {

void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form);
void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight);

}  // namespace reference
}  // namespace engine

// The ways to compute attention, and which of them a device, a dtype and a length allow.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

namespace engine {

enum class AttentionKernel {
    Automatic,  ///< the one that is fastest by our measurements
    Math,       ///< batched products; the attention weights of all heads are kept for backward
    ByHead,     ///< on CPU: the weights of one head at a time, recomputed in backward (cached_attention.h)
    Flash,      ///< LibTorch's; like the next two, it never materialises the weights
    Efficient,
    Cudnn
};

/// @param name a choice of engine.attention: "auto", "math", "by_head", "flash", "efficient" or "cudnn"
AttentionKernel attentionKernelOf(const std::string& name);

struct AttentionShape {
    c10::DeviceType device = c10::DeviceType::CPU;
    at::ScalarType dtype = at::kFloat;
    std::int64_t headSize = 0;  ///< 0: any
    std::int64_t keys = 0;
    bool hasBias = false;
};

/// Why @p kernel cannot compute attention of this @p shape, as a clause about "it"; empty if it can.
std::string obstacleTo(AttentionKernel kernel, const AttentionShape& shape);

/// @p requested if it can compute @p shape, otherwise the automatic choice. Never returns Automatic.
/// On a GPU, the automatic choice is Efficient, which supports everything; see fastestKernel() for attention without a mask.
///
/// On CPU, the automatic choice is Math up to kLongestMaterialised keys: faster than LibTorch's flash kernel, in bfloat16 twice
/// as fast. For longer sequences it is ByHead in bfloat16, still nearly twice as fast, and Flash in float32.
AttentionKernel chosenKernel(AttentionKernel requested, const AttentionShape& shape);

/// The kernel for the parts of ring attention, whatever is requested: it supports masks, any dtype and any head size, and
/// returns the log-sums by which the parts are combined.
AttentionKernel ringKernel(c10::DeviceType device);

const char* nameOf(AttentionKernel kernel);

constexpr std::int64_t kLongestMaterialised = 512;

}  // namespace engine

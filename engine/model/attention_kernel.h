// The ways to compute attention, and which of them a device, a dtype and a length allow.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

namespace engine {

enum class AttentionKernel {
    Automatic,  ///< the one that was measured to be the fastest
    Math,       ///< batched products; the weights of all heads are kept for backward
    ByHead,     ///< on CPU: one head's weights after another's, computed again in backward (cached_attention.h)
    Flash,      ///< LibTorch's, which never hold the weights, as the next two
    Efficient,
    Cudnn
};

/// @param name as engine.attention has it: "auto", "math", "by_head", "flash", "efficient" or "cudnn"
AttentionKernel attentionKernelOf(const std::string& name);

struct AttentionShape {
    c10::DeviceType device = c10::DeviceType::CPU;
    at::ScalarType dtype = at::kFloat;
    std::int64_t headSize = 0;  ///< 0: any
    std::int64_t keys = 0;
    bool hasBias = false;
};

/// What keeps @p kernel from computing it; empty: nothing.
std::string obstacleTo(AttentionKernel kernel, const AttentionShape& shape);

/// @p asked, or where something keeps it from that, what Automatic stands for. Never Automatic.
///
/// On CPU, up to kLongestMaterialised keys that is Math: there it is faster than LibTorch's flash kernel, in bfloat16 twice.
/// Longer sequences in bfloat16 go head by head, still nearly twice as fast; in float32 they take Flash.
AttentionKernel chosenKernel(AttentionKernel asked, const AttentionShape& shape);

/// What computes the parts of a ring's attention, whatever is asked for: it takes masks, any dtype and head, and tells the
/// logarithms of sums by which the parts are joined.
AttentionKernel ringKernel(c10::DeviceType device);

const char* nameOf(AttentionKernel kernel);

constexpr std::int64_t kLongestMaterialised = 512;

}  // namespace engine

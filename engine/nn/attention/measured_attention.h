// The faster of LibTorch's attention kernels on this GPU, found by a first measurement.
#pragma once
#include "engine/nn/attention/attention_kernel.h"

#include <c10/core/Device.h>

#include <compare>
#include <string>
#include <vector>

namespace engine {

struct AttentionSizes {
    at::ScalarType dtype = at::kFloat;
    std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, headSize = 0;
    bool trains = false;  ///< backward counts, too

    auto operator<=>(const AttentionSizes&) const = default;
};

/// The kernel of attention without a mask. The first call for some sizes computes it by each kernel that supports them, in some milliseconds and in
/// memory of its own; later calls return what was fastest. With deterministic algorithms, and where memory does not suffice, it is Efficient.
AttentionKernel fastestKernel(const AttentionSizes& sizes, c10::Device device);

/// What was measured since the last call, a sentence for each of the sizes.
std::vector<std::string> takeMeasuredAttention();

}  // namespace engine

#include "engine/nn/attention/attention_kernel.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

constexpr std::array<std::pair<const char*, AttentionKernel>, 6> kKernelNames = {{{"auto", AttentionKernel::Automatic},
    {"math", AttentionKernel::Math}, {"by_head", AttentionKernel::ByHead}, {"flash", AttentionKernel::Flash},
    {"efficient", AttentionKernel::Efficient}, {"cudnn", AttentionKernel::Cudnn}}};

// Limits of LibTorch's CUDA kernels.
constexpr std::int64_t kWidestFlashHead = 256, kWidestCudnnHead = 128, kHeadMultiple = 8;

std::string obstacleOnGpu(AttentionKernel kernel, const AttentionShape& shape)
{
    using enum AttentionKernel;
    if (kernel == ByHead)
        return "it runs on CPU only";
    if (kernel != Flash && kernel != Cudnn)
        return {};
    if (shape.dtype != at::kHalf && shape.dtype != at::kBFloat16)
        return "on GPUs it supports bfloat16 and float16 only";
    if (shape.hasBias)
        return "on GPUs it does not support a mask";
    const std::int64_t widest = kernel == Flash ? kWidestFlashHead : kWidestCudnnHead;
    if (shape.headSize > widest || shape.headSize % kHeadMultiple != 0)
        return "on GPUs it needs heads of a multiple of 8 and at most " + std::to_string(widest) + " elements";
    return {};
}

}  // namespace

AttentionKernel attentionKernelOf(const std::string& name)
{
    for (const auto& [known, kernel] : kKernelNames) {
        if (name == known)
            return kernel;
    }
    throw std::logic_error("engine.attention: unknown choice " + name);
}

const char* nameOf(AttentionKernel kernel)
{
    for (const auto& [name, known] : kKernelNames) {
        if (kernel == known)
            return name;
    }
    return "";
}

std::string obstacleTo(AttentionKernel kernel, const AttentionShape& shape)
{
    using enum AttentionKernel;
    if (shape.device != c10::DeviceType::CPU)
        return obstacleOnGpu(kernel, shape);
    return kernel == Efficient || kernel == Cudnn ? "it runs on GPUs only" : "";
}

AttentionKernel ringKernel(c10::DeviceType device)
{
    return device == c10::DeviceType::CPU ? AttentionKernel::Flash : AttentionKernel::Efficient;
}

AttentionKernel chosenKernel(AttentionKernel requested, const AttentionShape& shape)
{
    using enum AttentionKernel;
    if (requested != Automatic && obstacleTo(requested, shape).empty())
        return requested;
    if (shape.device != c10::DeviceType::CPU)
        return Efficient;
    if (shape.keys <= kLongestMaterialised)
        return Math;
    return shape.dtype == at::kBFloat16 ? ByHead : Flash;
}

}  // namespace engine

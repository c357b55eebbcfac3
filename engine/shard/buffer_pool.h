// Buffers for gathered parameters and gradients, reused for the life of the model.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <vector>

namespace engine {

/// Hands out byte buffers; a released one serves the next request of the same size. Contents are undefined.
/// One thread. On CUDA, reuse is ordered by the current stream, which collectives wait for when they start.
class BufferPool {
public:
    explicit BufferPool(c10::Device device)
        : m_device(device)
    {
    }

    at::Tensor acquire(std::int64_t bytes);  ///< [bytes] uint8
    void release(at::Tensor buffer);

    c10::Device device() const { return m_device; }
    std::int64_t allocatedBytes() const { return m_allocatedBytes; }

private:
    c10::Device m_device;
    std::int64_t m_allocatedBytes = 0;
    std::map<std::int64_t, std::vector<at::Tensor>> m_free;
};

}  // namespace engine

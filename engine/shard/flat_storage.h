// A flat buffer that tensors are views of, whose memory comes and goes.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <cstdint>

namespace engine {

/// The views are made once and stay valid tensors; their data may be used only while memory is attached. What a pass remembers
/// of forward is therefore valid again after the gather of backward.
class FlatStorage {
public:
    /// @param length in elements. No memory is attached at first.
    FlatStorage(std::int64_t length, at::ScalarType dtype, c10::Device device);

    /// A contiguous view of the given shape from element @p offset on.
    at::Tensor view(std::int64_t offset, at::IntArrayRef shape) const;
    const at::Tensor& flat() const { return m_flat; }  ///< [length]

    /// @param buffer at least length elements on the storage's device; must outlive the attachment.
    void attach(const at::Tensor& buffer);
    void detach();

private:
    c10::Storage m_storage;
    at::ScalarType m_dtype;
    at::Tensor m_flat;
};

}  // namespace engine

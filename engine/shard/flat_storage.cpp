#include "engine/shard/flat_storage.h"

#include <ATen/ops/empty.h>

#include <vector>

namespace engine {

FlatStorage::FlatStorage(std::int64_t length, at::ScalarType dtype, c10::Device device)
    : m_storage(c10::Storage::use_byte_size_t(), static_cast<std::size_t>(length) * c10::elementSize(dtype),
        c10::DataPtr(nullptr, device), nullptr, false)
    , m_dtype(dtype)
    , m_flat(view(0, {length}))
{
}

at::Tensor FlatStorage::view(std::int64_t offset, at::IntArrayRef shape) const
{
    // Nothing is shared by tensors without memory, and set_() would resize their storage.
    if (m_storage.device().is_meta())
        return at::empty(shape, at::TensorOptions().dtype(m_dtype).device(at::kMeta));
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    auto tensor = at::empty({0}, at::TensorOptions().dtype(m_dtype).device(m_storage.device()));
    return tensor.set_(m_storage, offset, shape, strides);
}

void FlatStorage::attach(const at::Tensor& buffer)
{
    m_storage.unsafeGetStorageImpl()->set_data_ptr_noswap(c10::DataPtr(buffer.data_ptr(), m_storage.device()));
}

void FlatStorage::detach()
{
    m_storage.unsafeGetStorageImpl()->set_data_ptr_noswap(c10::DataPtr(nullptr, m_storage.device()));
}

}  // namespace engine

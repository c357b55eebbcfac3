#include "engine/weights/file_weights.h"

namespace engine {

at::Tensor FileWeights::read(const std::string& name, at::ScalarType dtype) const
{
    const bool isAsStored = m_device.is_cpu() && m_source.dtype(name) == dtype;
    return isAsStored ? m_source.view(name) : m_source.tensor(name, dtype, m_device);
}

at::Tensor CachedWeights::tensor(const std::string& name) const
{
    const auto found = m_tensors.find(name);
    return found != m_tensors.end() ? found->second : m_tensors.emplace(name, m_from->tensor(name).clone()).first->second;
}

}  // namespace engine

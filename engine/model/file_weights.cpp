#include "engine/model/file_weights.h"

namespace engine {

at::Tensor FileWeights::tensor(const std::string& name) const
{
    const bool isAsStored = m_device.is_cpu() && m_source.dtype(name) == m_dtype;
    return isAsStored ? m_source.view(name) : m_source.tensor(name, m_dtype, m_device);
}

at::Tensor KeptWeights::tensor(const std::string& name) const
{
    const auto found = m_tensors.find(name);
    return found != m_tensors.end() ? found->second : m_tensors.emplace(name, m_from->tensor(name).clone()).first->second;
}

}  // namespace engine

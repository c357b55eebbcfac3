#include "engine/weights/weight_lookup.h"

#include "engine/comm/errors.h"

#include <sstream>

namespace engine {

WeightScope WeightScope::operator/(std::string_view part) const
{
    return WeightScope(*m_lookup, m_prefix + std::string(part) + ".");
}

at::Tensor WeightScope::operator()(const std::string& name, at::IntArrayRef shape) const
{
    return checked(name, m_lookup->tensor(m_prefix + name), shape);
}

at::Tensor WeightScope::inFloat(const std::string& name, at::IntArrayRef shape) const
{
    return checked(name, m_lookup->floatTensor(m_prefix + name), shape);
}

at::Tensor WeightScope::checked(const std::string& name, at::Tensor tensor, at::IntArrayRef shape) const
{
    if (tensor.sizes() != shape) {
        std::ostringstream sentence;
        sentence << m_prefix << name << " has the shape " << tensor.sizes() << ", but the config asks for " << shape;
        throw EngineError(EngineError::Kind::WrongUsage, sentence.str());
    }
    return tensor;
}

}  // namespace engine

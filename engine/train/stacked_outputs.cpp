#include "engine/train/stacked_outputs.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <sstream>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

std::string describe(at::IntArrayRef shape, at::ScalarType dtype)
{
    std::ostringstream text;
    text << shape << ' ' << c10::toString(dtype);
    return text.str();
}

}  // namespace

void StackedOutputs::add(std::int64_t micro, std::int64_t timestep, const NamedTensors& outputs)
{
    const c10::InferenceMode normalMode(false);  // the caller may use the result under autograd
    for (const auto& [name, output] : outputs) {
        if (output.dim() == 0)
            throw std::invalid_argument("the output \"" + name + "\" is a scalar; it must have one row per sample");
        at::Tensor& whole = m_stacked[name];
        if (!whole.defined()) {
            std::vector<std::int64_t> shape = output.sizes().vec();
            shape.front() *= m_microBatches;
            shape.insert(shape.begin() + 1, m_timesteps);
            whole = at::empty(shape, output.options());
        }
        const std::int64_t rows = whole.size(0) / m_microBatches;
        std::vector<std::int64_t> expected = whole.sizes().vec();
        expected.erase(expected.begin());
        expected.front() = rows;
        if (output.sizes() != at::IntArrayRef(expected) || output.scalar_type() != whole.scalar_type())
            throw std::invalid_argument("the output \"" + name + "\" of micro-batch " + std::to_string(micro)
                + " at timestep " + std::to_string(timestep) + " is " + describe(output.sizes(), output.scalar_type())
                + ", but the first one was " + describe(expected, whole.scalar_type()) + "; all must match");
        whole.narrow(0, micro * rows, rows).select(1, timestep).copy_(output);
        ++m_passes[name];
    }
}

NamedTensors StackedOutputs::take()
{
    for (const auto& [name, count] : m_passes) {
        if (count != m_microBatches * m_timesteps)
            throw std::invalid_argument("the output \"" + name + "\" came from only " + std::to_string(count) + " of "
                + std::to_string(m_microBatches * m_timesteps) + " passes; every pass must return it");
    }
    return std::move(m_stacked);
}

}  // namespace engine

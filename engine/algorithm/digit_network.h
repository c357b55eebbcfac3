// The classifier behind the digit judge.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Two convolutions and two linear layers over 8 × 8 pixels: 107 thousand weights.
class DigitNetwork {
public:
    DigitNetwork(std::int64_t classes, at::Generator& random);

    /// @param images [N, 1, 8, 8] float32 on the CPU. @return [N, classes].
    at::Tensor logits(const at::Tensor& images) const;

    /// Leaves of the graph, which the optimizer changes in place.
    const std::vector<at::Tensor>& weights() const { return m_weights; }

private:
    std::vector<at::Tensor> m_weights;  ///< weight and bias of each layer in turn
};

}  // namespace engine

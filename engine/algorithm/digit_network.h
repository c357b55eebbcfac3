// The network of the digit judge.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Convolutions and two linear layers over 8 × 8 pixels.
class DigitNetwork {
public:
    /// Two networks that share neither weights nor shape, so that one can judge what was trained to please the other.
    enum class Shape {
        Deep,  ///< two convolutions of 3 × 3: 107 thousand weights
        Wide   ///< one convolution of 5 × 5: 68 thousand weights
    };

    DigitNetwork(Shape shape, std::int64_t classes, at::Generator& random);

    /// @param images [N, 1, 8, 8] float32 on the CPU. @return [N, classes].
    at::Tensor logits(const at::Tensor& images) const;

    /// Leaf tensors of the autograd graph; the optimizer updates them in place.
    const std::vector<at::Tensor>& weights() const { return m_weights; }

private:
    Shape m_shape;
    std::vector<at::Tensor> m_weights;  ///< weight and bias of each layer, in layer order
};

}  // namespace engine

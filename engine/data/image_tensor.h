// Converts images to the tensors that models take.
#pragma once
#include "engine/data/image.h"

#include <ATen/core/Tensor.h>

namespace engine {

/// Crops @p image to the aspect ratio of @p bucket, see cropTo(), and scales it with antialiased bicubic interpolation, as
/// Pillow does.
/// @return [3, H, W] float32 in [-1, 1], on the CPU.
at::Tensor imageTensor(const Image& image, ImageSize bucket);

/// Crops and scales a loss mask in the same way, with bilinear interpolation; uses its red channel.
/// @return [1, H, W] float32 in [0, 1], on the CPU.
at::Tensor maskTensor(const Image& mask, ImageSize bucket);

}  // namespace engine

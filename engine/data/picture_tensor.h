// Pictures as a model takes them.
#pragma once
#include "engine/data/picture.h"

#include <ATen/core/Tensor.h>

namespace engine {

/// The middle of @p picture at the size of its bucket, by antialiased bicubic interpolation as Pillow's.
/// @return [3, H, W] float32 in [-1, 1], on the CPU.
at::Tensor pictureTensor(const Picture& picture, PictureSize bucket);

/// The same part of a loss mask, by its red channel: 1 is learnt, 0 is not.
/// @return [1, H, W] float32 in [0, 1], on the CPU.
at::Tensor maskTensor(const Picture& mask, PictureSize bucket);

}  // namespace engine

// What a model drew for one prompt.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace engine {

struct DrawnSample {
    std::string prompt;
    at::Tensor images;     ///< [images, C, H, W] float32 in [-1, 1] on the CPU: an image, images of one label, or frames of a video
    bool isVideo = false;
};

}  // namespace engine

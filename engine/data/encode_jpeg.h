// Encodes images as JPEG.
#pragma once
#include "engine/data/image.h"

#include <string>

namespace engine {

/// Returns the bytes of a baseline JPEG file with colour at half resolution (4:2:0), as Pillow writes by default.
/// @param image at least 1 × 1 @param quality 1 to 100
/// @throws std::runtime_error when a side is too long for a JPEG.
std::string encodeJpeg(const Image& image, int quality);

}  // namespace engine

// The orientation of an image as stored in its EXIF data (EXIF 2.32, tag 0x0112).
#pragma once
#include "engine/data/image.h"

#include <string_view>

namespace engine {

/// Returns the orientation of a PNG, JPEG or WebP file: 1 (as stored) to 8; 1 when the file has none. In a PNG only EXIF data
/// before the pixels counts.
int exifOrientation(std::string_view file);

/// Whether this orientation swaps width and height.
bool swapsSides(int orientation);

/// Rotates and mirrors a stored image so that it is upright. @param orientation 1 to 8
Image upright(Image image, int orientation);

}  // namespace engine

// Which way up a picture is, as its camera wrote it into the file (EXIF 2.32, tag 0x0112).
#pragma once
#include "engine/data/picture.h"

#include <string_view>

namespace engine {

/// 1 (as stored) to 8, of a PNG (in front of its pixels), JPEG or WebP file; 1 where the file does not say.
int exifOrientation(std::string_view file);

/// Whether width and height change places.
bool isTurnedSideways(int orientation);

/// @param orientation 1 to 8.
Picture upright(Picture picture, int orientation);

}  // namespace engine

// One decoder for each format. They throw std::runtime_error with what is wrong, without the file's name.
#pragma once
#include "engine/data/picture.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace engine {

/// As stored, before any turning. @throws also when it has more pixels than kMostPicturePixels.
PictureSize pngSize(std::string_view file);
PictureSize jpegSize(std::string_view file);
PictureSize webpSize(std::string_view file);

Picture decodePng(std::string_view file);
Picture decodeJpeg(std::string_view file);
Picture decodeWebp(std::string_view file);

bool isPng(std::string_view file);
bool isJpeg(std::string_view file);
bool isWebp(std::string_view file);

/// @throws std::runtime_error when there is nothing or too much of it.
PictureSize checkedSize(std::int64_t width, std::int64_t height);

/// Makes three samples a pixel of four, on white, in place.
void blendOnWhite(std::vector<std::uint8_t>& samples);

}  // namespace engine

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

Picture decodePng(std::string_view file, PicturePart part);
Picture decodeJpeg(std::string_view file, PicturePart part);
Picture decodeWebp(std::string_view file, PicturePart part);

bool isPng(std::string_view file);
bool isJpeg(std::string_view file);
bool isWebp(std::string_view file);

/// @throws std::runtime_error when there is nothing or too much of it.
PictureSize checkedSize(std::int64_t width, std::int64_t height);

/// Makes three samples a pixel of four, in place: the colours on white, or three times the fourth.
void keepPart(std::vector<std::uint8_t>& samples, PicturePart part);

/// The same of a picture that nothing shines through.
void keepPartOfOpaque(std::vector<std::uint8_t>& samples, PicturePart part);

}  // namespace engine

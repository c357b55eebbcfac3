// The decoders of the image formats. Errors are std::runtime_error, without the file's name.
#pragma once
#include "engine/data/image.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace engine {

// The stored size, before the EXIF orientation is applied. They also throw for more than kMaxImagePixels pixels.
ImageSize pngSize(std::string_view file);
ImageSize jpegSize(std::string_view file);
ImageSize webpSize(std::string_view file);

Image decodePng(std::string_view file, ImagePart part);
Image decodeJpeg(std::string_view file, ImagePart part);
Image decodeWebp(std::string_view file, ImagePart part);

bool isPng(std::string_view file);
bool isJpeg(std::string_view file);
bool isWebp(std::string_view file);

/// Returns the size. @throws std::runtime_error when a side or the number of pixels is out of range.
ImageSize checkedSize(std::int64_t width, std::int64_t height);

/// Converts RGBA to RGB in place: the colours blended with white, or the alpha value three times.
void selectPart(std::vector<std::uint8_t>& samples, ImagePart part);

/// Does the same for RGB samples of an opaque image, whose alpha is 255.
void selectPartOfOpaque(std::vector<std::uint8_t>& samples, ImagePart part);

}  // namespace engine

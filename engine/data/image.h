// Reads PNG, JPEG and WebP files as upright 8-bit RGB images.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace engine {

struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;  ///< [height, width, 3], top row first
};

struct ImageSize {
    int width = 0;
    int height = 0;
};

constexpr std::uint64_t kMaxImageBytes = std::uint64_t {1} << 28;   ///< limit of a file's size
constexpr std::int64_t kMaxImagePixels = std::int64_t {1} << 27;    ///< 134 million, 400 MB when decoded

enum class ImagePart {
    Colours,
    Alpha  ///< the alpha channel as grey; white when the file has none
};

/// Reads an image and applies its EXIF orientation. Transparent pixels are blended with white, in the file's own values;
/// 16-bit samples are rounded; the inverted CMYK of JPEGs becomes RGB without a colour profile.
/// @throws std::runtime_error naming the file and what is wrong with it. Sizes are checked before memory is allocated.
Image readImage(const std::filesystem::path& file, ImagePart part = ImagePart::Colours);

/// Returns the size of the image that readImage() would return, from the file's header.
/// @throws the errors of readImage() that the header shows.
ImageSize readImageSize(const std::filesystem::path& file);

}  // namespace engine

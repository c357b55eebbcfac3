// Pictures from files: PNG, JPEG and WebP as 8-bit RGB, upright.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace engine {

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;  ///< height × width × 3, rows from the top
};

struct PictureSize {
    int width = 0;
    int height = 0;
};

constexpr std::uint64_t kMostPictureBytes = std::uint64_t {1} << 28;   ///< of a file
constexpr std::int64_t kMostPicturePixels = std::int64_t {1} << 27;    ///< 134 million: 400 MB once read

enum class PicturePart {
    Colours,
    Alpha  ///< how opaque it is, as grey; white where the file has none
};

/// Turned as its EXIF orientation says. What is transparent lies on white, blended in the file's own values; 16-bit
/// samples are rounded; inverted CMYK, as JPEGs have it, becomes RGB without a colour profile.
/// @throws std::runtime_error naming the file and what is wrong with it, too large a size before memory is taken for it.
Picture readPicture(const std::filesystem::path& file, PicturePart part = PicturePart::Colours);

/// The size that readPicture() will give, from the file's header.
/// @throws as readPicture(), as far as a header shows it.
PictureSize readPictureSize(const std::filesystem::path& file);

/// Whether a file of that name is taken for a picture: .png, .jpg, .jpeg, .webp, in any case.
bool hasPictureName(const std::filesystem::path& file);

}  // namespace engine

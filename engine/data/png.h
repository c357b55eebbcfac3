// Sample images as files.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace engine {

/// Keyword and text, both UTF-8: {"prompt", "digit 3"}, {"seed", "7"}. PNG takes keywords of 1 to 79 bytes.
using PngTexts = std::vector<std::pair<std::string, std::string>>;

struct Pixels {
    int width = 0, height = 0;
    int channels = 1;                  ///< 1 grey, 3 red, green and blue
    std::vector<std::uint8_t> values;  ///< [height, width, channels], rows from the top
};

/// Writes 8 bits a channel atomically: under its name lies the old file or the whole new one.
/// @throws std::system_error naming the file when it cannot be written, std::invalid_argument when
///         the number of values does not fit or a keyword is not one.
void writePng(const std::filesystem::path& file, const Pixels& pixels, const PngTexts& texts = {});

/// Lays images side by side in reading order, each pixel as a square of @p scale; black between and around.
/// @param images [N, 1 or 3, H, W], any dtype and device; -1 becomes black, 1 white, beyond is clamped, NaN black.
/// @param columns images in a row. @param gap pixels between images and around them.
Pixels imageGrid(const at::Tensor& images, int columns, int scale, int gap);

}  // namespace engine

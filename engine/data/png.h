// Writes sample images as PNG files.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace engine {

/// Pairs of keyword and text: {"prompt", "digit 3"}, {"seed", "7"}. A keyword is 1 to 79 printable ASCII
/// characters, a text is UTF-8.
using PngTexts = std::vector<std::pair<std::string, std::string>>;

struct Pixels {
    int width = 0, height = 0;
    int channels = 1;                  ///< 1 grey, 3 red, green and blue
    std::vector<std::uint8_t> values;  ///< [height, width, channels], top row first
};

/// The bytes of a PNG file with 8 bits per channel.
/// @throws std::invalid_argument when the number of values does not match the size or a keyword is not valid
std::string encodedPng(const Pixels& pixels, const PngTexts& texts = {});

/// Writes encodedPng() atomically: @p file is always either the old or the complete new file.
/// @throws std::system_error naming the file when it cannot be written, and what encodedPng() throws.
void writePng(const std::filesystem::path& file, const Pixels& pixels, const PngTexts& texts = {});

/// Arranges images in a grid, row by row, each pixel enlarged to @p scale × @p scale, with black gaps.
/// @param images [N, 1 or 3, H, W], any dtype and device; -1 becomes black, 1 white; values outside are clamped, NaN is black
/// @param columns images per row @param gap pixels between and around the images
Pixels imageGrid(const at::Tensor& images, int columns, int scale, int gap);

}  // namespace engine

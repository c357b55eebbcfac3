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

/// Writes 8-bit greyscale atomically: under its name lies the old file or the whole new one.
/// @param pixels width × height of them, rows from the top.
/// @throws std::system_error naming the file when it cannot be written, std::invalid_argument when
///         the number of pixels does not fit or a keyword is not one.
void writeGreyPng(const std::filesystem::path& file, int width, int height,
    const std::vector<std::uint8_t>& pixels, const PngTexts& texts = {});

/// Lays images side by side in reading order, each pixel as a square of @p scale; black between and around.
/// @param images [N, 1, H, W], any dtype and device; -1 becomes black, 1 white, beyond is clamped, NaN black.
/// @param columns images in a row. @param gap pixels between images and around them.
/// @param width, height the size of the result.
std::vector<std::uint8_t> imageGrid(
    const at::Tensor& images, int columns, int scale, int gap, int& width, int& height);

}  // namespace engine

// Writes test videos in which the brightness of each frame encodes its index.
#pragma once
#include "engine/data/video_file.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tests {

/// Grey level of frame @p number: far enough from its neighbours' to survive a codec.
inline int paintedLevel(std::int64_t number) { return static_cast<int>(20 + 12 * (number % 18)); }

inline engine::Image paintedFrame(std::int64_t number, int width, int height)
{
    const auto bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
    return {width, height, std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(paintedLevel(number)))};
}

inline void writePaintedVideo(const std::filesystem::path& file, std::int64_t frames, double frameRate, int width = 48, int height = 32)
{
    engine::videoFiles().write(file, frameRate, frames, [&](std::int64_t number) { return paintedFrame(number, width, height); });
}

}  // namespace tests

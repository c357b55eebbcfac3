// Clips whose frames tell their numbers by how bright they are.
#pragma once
#include "engine/data/clip_file.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tests {

/// Grey level of frame @p number: far enough from its neighbours' to survive a codec.
inline int paintedLevel(std::int64_t number) { return static_cast<int>(20 + 12 * (number % 18)); }

inline engine::Picture paintedFrame(std::int64_t number, int width, int height)
{
    const auto bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
    return {width, height, std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(paintedLevel(number)))};
}

inline void writePaintedClip(const std::filesystem::path& file, std::int64_t frames, double frameRate, int width = 48, int height = 32)
{
    engine::clipFiles().write(file, frameRate, frames, [&](std::int64_t number) { return paintedFrame(number, width, height); });
}

}  // namespace tests

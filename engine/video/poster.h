// The first frame of a video, and what its headers say of it.
#pragma once
#include "engine/data/image.h"

#include <cstdint>
#include <filesystem>

namespace engine {

struct Poster {
    Image frame;                ///< upright
    double framesPerSecond = 0; ///< 0: not known
    double seconds = 0;         ///< length; 0: not known
    std::int64_t frames = 0;    ///< 0: not known
    bool isCounted = false;     ///< false: frames is rate times length
};

/// Decodes the first frame, which is also the first that is trained on.
/// @throws std::runtime_error that says what is wrong with the file, without its name
Poster readPoster(const std::filesystem::path& file);

}  // namespace engine

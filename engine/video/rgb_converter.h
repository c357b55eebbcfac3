// Converts decoded frames to upright RGB images.
#pragma once
#include "engine/video/ffmpeg.h"

#include <cstdint>
#include <vector>

namespace engine::ffmpeg {

/// Uses the colour space that frames declare, or else the usual one for their size.
class RgbConverter {
public:
    /// @param quarterTurns clockwise turns by 90°, see OpenVideo::quarterTurns()
    /// @throws std::runtime_error that says what is wrong with the frame
    Image operator()(const AVFrame& frame, int quarterTurns);

private:
    Scaler m_scaler;
    std::vector<std::uint8_t> m_rows;
};

}  // namespace engine::ffmpeg

// Clips from video files. What reads and writes them lies in a module of its own, libatelier_clips.so beside the program, which
// alone links FFmpeg's libraries and is loaded when the first clip is asked for: without these, all but clips works.
#pragma once
#include "engine/data/picture.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace engine {

struct ClipForm {
    PictureSize size;         ///< of a frame, upright
    std::int64_t frames = 0;  ///< that can be read, as far as was asked
};

constexpr std::int64_t kMostFramePixels = std::int64_t {1} << 25;  ///< 33 million, as 8K has; decoders keep up to 16 frames

/// Gets one frame after another.
using FrameSink = std::function<void(const Picture& frame)>;

/// A frame rate of 0 takes each frame of the file as it is; another one takes for each moment the frame that is shown then, the
/// first of the clip being at 0. Frames of more than kMostFramePixels are refused. Only files are read, never what one of
/// them names. Any thread, one clip each. Everything throws std::runtime_error naming the file and what is
/// wrong with it.
class ClipFiles {
public:
    virtual ~ClipFiles() = default;

    /// From the file's headers and times: nothing is decoded. @param most frames that are counted
    virtual ClipForm form(const std::filesystem::path& file, double frameRate, std::int64_t most) const = 0;

    /// Decodes the first @p frames.
    virtual void read(const std::filesystem::path& file, double frameRate, std::int64_t frames, const FrameSink& take) const = 0;

    /// MP4, H.264 where FFmpeg has an encoder for it and else MPEG-4. The file has its name when it is whole.
    /// @param frames at least one, of one size with even sides; given by number
    virtual void write(const std::filesystem::path& file, double frameRate, std::int64_t frames,
        const std::function<Picture(std::int64_t number)>& frame) const = 0;
};

/// @throws EngineError when the module or FFmpeg's libraries are not there.
const ClipFiles& clipFiles();

/// Whether a file of that name is taken for a clip: .avi, .gif, .m4v, .mkv, .mov, .mp4, .mpeg, .mpg, .ogv, .ts, .webm, in any case.
bool hasClipName(const std::filesystem::path& file);

}  // namespace engine

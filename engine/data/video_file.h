// Reads and writes video files. The implementation is a separate module, libatelier_video.so next to the program, which is the
// only part that links FFmpeg. It is loaded on first use, so everything except video files works without FFmpeg.
#pragma once
#include "engine/contract/formats/folder_entries.h"
#include "engine/data/image.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace engine {

struct VideoInfo {
    ImageSize size;           ///< size of an upright frame
    std::int64_t frames = 0;  ///< number of frames that can be read, up to the limit of the call
};

constexpr std::int64_t kMaxFramePixels = std::int64_t {1} << 25;  ///< 33 million, an 8K frame; decoders hold up to 16 frames

/// Receives the frames one after another.
using FrameSink = std::function<void(const Image& frame)>;

/// A frame rate of 0 uses each frame of the file once. Another frame rate resamples the video: for each time step it uses the
/// frame that is shown then, and the first frame is at time 0. Frames with more than kMaxFramePixels pixels are rejected.
/// Only the given file is opened, never other files or addresses that it names. Any thread may call these functions;
/// each video is used by one thread. All throw std::runtime_error naming the file and what is wrong with it.
class VideoFiles {
public:
    virtual ~VideoFiles() = default;

    /// Returns size and frame count from the file's headers and timestamps, without decoding frames.
    /// @param maxFrames stop counting at this many frames
    virtual VideoInfo probe(const std::filesystem::path& file, double frameRate, std::int64_t maxFrames) const = 0;

    /// Decodes the first @p frames frames and passes them to @p take.
    virtual void read(const std::filesystem::path& file, double frameRate, std::int64_t frames, const FrameSink& take) const = 0;

    /// Writes an MP4 file, with H.264 if FFmpeg has an encoder for it, else MPEG-4. The file gets its name when it is complete.
    /// @param frames number of frames, at least 1
    /// @param frame returns the frame with the given index; all have the same size, with even width and height
    virtual void write(const std::filesystem::path& file, double frameRate, std::int64_t frames,
        const std::function<Image(std::int64_t number)>& frame) const = 0;
};

/// Loads the module on the first call. @throws EngineError when the module or FFmpeg's libraries are missing.
const VideoFiles& videoFiles();

using contract::hasVideoName;

}  // namespace engine

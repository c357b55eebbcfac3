// A video file that FFmpeg has opened. Files are not trusted: only listed containers are accepted, only the file itself is opened,
// and sizes are checked before memory is allocated.
#pragma once
#include "engine/video/ffmpeg.h"

#include <cstdint>
#include <filesystem>

namespace engine::ffmpeg {

/// Silences FFmpeg, and limits what it may allocate at once. Call before anything else.
void setLimits();

/// @throws std::runtime_error with @p what unless @p holds.
void require(bool holds, const char* what);

/// A file and its best video stream. Functions throw std::runtime_error that says what is wrong, without the file's name.
class OpenVideo {
public:
    explicit OpenVideo(const std::filesystem::path& file);

    const AVFormatContext& format() const { return *m_format; }
    AVStream& stream() const { return *m_stream; }

    /// A decoder of the stream, on one thread: ranks run in parallel already.
    Codec openDecoder() const;

    /// How many clockwise turns by 90° make the video upright.
    int quarterTurns() const;

    /// Reads the next packet of the stream; returns false at the end.
    bool next(AVPacket& packet);

    double seconds(std::int64_t time) const { return static_cast<double>(time) * av_q2d(m_stream->time_base); }

private:
    void findStreams();

    InputFormat m_format;
    AVStream* m_stream = nullptr;
};

/// Estimates the time of a frame without a timestamp, in seconds.
double guessedSeconds(const AVStream& stream, std::int64_t number);

/// Whether a decoder may make frames of this size.
bool isFrameSize(int width, int height);

}  // namespace engine::ffmpeg

#include "engine/video/poster.h"

#include "engine/data/video_file.h"
#include "engine/video/open_video.h"
#include "engine/video/rgb_converter.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

using namespace ffmpeg;

constexpr double kMostSeconds = 1e7, kMostRate = 1e5;  ///< beyond these headers are wrong

double within(double value, double most) { return std::isfinite(value) && value > 0 && value <= most ? value : 0; }

Image firstFrame(OpenVideo& video)
{
    const Codec decoder = video.openDecoder();
    const Packet packet(av_packet_alloc());
    const Frame frame(av_frame_alloc());
    for (bool isAtEnd = false;;) {
        int result = avcodec_receive_frame(decoder.get(), frame.get());
        if (result >= 0) {
            require(isFrameSize(frame->width, frame->height), "has empty frames, or frames of more than 33 million pixels");
            return RgbConverter()(*frame, video.quarterTurns());
        }
        require(result == AVERROR(EAGAIN) && !isAtEnd, "has no frames");
        isAtEnd = !video.next(*packet);
        result = avcodec_send_packet(decoder.get(), isAtEnd ? nullptr : packet.get());
        require(result >= 0 || result == AVERROR_EOF || result == AVERROR_INVALIDDATA, "cannot be decoded");
    }
}

/// Counts the packets of a file whose headers say neither length nor frames, up to a limit.
std::int64_t countedPackets(const std::filesystem::path& file)
{
    constexpr std::int64_t kMostCounted = 10'000;
    OpenVideo video(file);
    const Packet packet(av_packet_alloc());
    std::int64_t count = 0;
    while (count <= kMostCounted && video.next(*packet))
        ++count;
    return count <= kMostCounted ? count : 0;
}

}  // namespace

Poster readPoster(const std::filesystem::path& file)
{
    OpenVideo video(file);
    Poster poster {.frame = firstFrame(video)};
    const AVStream& stream = video.stream();
    const AVRational rate = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
    poster.framesPerSecond = rate.den > 0 ? within(av_q2d(rate), kMostRate) : 0;
    if (stream.duration != AV_NOPTS_VALUE)
        poster.seconds = within(video.seconds(stream.duration), kMostSeconds);
    if (poster.seconds == 0 && video.format().duration != AV_NOPTS_VALUE)
        poster.seconds = within(static_cast<double>(video.format().duration) / AV_TIME_BASE, kMostSeconds);
    poster.frames = std::max<std::int64_t>(0, stream.nb_frames);
    if (poster.frames == 0 && poster.seconds == 0)
        poster.frames = countedPackets(file);
    poster.isCounted = poster.frames > 0;
    if (!poster.isCounted)
        poster.frames = std::llround(poster.framesPerSecond * poster.seconds);
    if (poster.seconds == 0 && poster.framesPerSecond > 0)
        poster.seconds = within(static_cast<double>(poster.frames) / poster.framesPerSecond, kMostSeconds);
    return poster;
}

}  // namespace engine

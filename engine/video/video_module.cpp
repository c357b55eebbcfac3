// libatelier_video.so: reads and writes the videos of a rank with FFmpeg.
#include "engine/data/video_file.h"
#include "engine/video/open_video.h"
#include "engine/video/rgb_converter.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

using ffmpeg::OpenVideo, ffmpeg::guessedSeconds, ffmpeg::require;

constexpr std::int64_t kMaxDecodedPerTaken = 1000;  ///< limit of decoded frames per used frame

std::int64_t countedFrames(OpenVideo& video, double frameRate, std::int64_t maxFrames)
{
    const ffmpeg::Packet packet(av_packet_alloc());
    double first = 0, last = 0;
    std::int64_t packets = 0;
    while (video.next(*packet)) {
        const std::int64_t time = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
        const double seconds = time != AV_NOPTS_VALUE ? video.seconds(time) : guessedSeconds(video.stream(), packets);
        first = packets == 0 ? seconds : std::min(first, seconds);
        last = packets == 0 ? seconds : std::max(last, seconds);
        ++packets;
        if (frameRate > 0 ? (last - first) * frameRate >= static_cast<double>(maxFrames) : packets >= maxFrames)
            return maxFrames;
    }
    if (packets == 0 || !(frameRate > 0))
        return std::min(packets, maxFrames);
    return std::min(maxFrames, static_cast<std::int64_t>((last - first) * frameRate + 1e-3) + 1);
}

/// Passes on, of the decoded frames, the one that is shown at each time step.
class FramePicker {
public:
    FramePicker(OpenVideo& video, double frameRate, std::int64_t frames, const FrameSink& take)
        : m_video(video)
        , m_frameRate(frameRate)
        , m_frames(frames)
        , m_take(take)
        , m_quarterTurns(video.quarterTurns())
        , m_current(av_frame_alloc())
    {
    }

    bool isDone() const { return m_taken == m_frames; }
    std::int64_t taken() const { return m_taken; }

    void add(const AVFrame& frame)
    {
        require(ffmpeg::isFrameSize(frame.width, frame.height), "has empty frames, or frames of more than 33 million pixels");
        require(++m_decoded <= m_frames * kMaxDecodedPerTaken, "has too many frames per second");
        const std::int64_t time = frame.best_effort_timestamp;
        const double seconds = time != AV_NOPTS_VALUE ? m_video.seconds(time) : guessedSeconds(m_video.stream(), m_decoded - 1);
        if (!m_first)
            m_first = seconds;
        else if (m_frameRate > 0)
            takeBefore(seconds - *m_first);
        av_frame_unref(m_current.get());
        require(av_frame_ref(m_current.get(), &frame) >= 0, "needs more memory than is available");
        m_currentTime = seconds - *m_first;
        if (!(m_frameRate > 0) && !isDone())
            take();
    }

    /// Call after the last frame: also uses it for a time step at its own timestamp.
    void finish()
    {
        if (m_first && m_frameRate > 0)
            takeBefore(m_currentTime + 2 * tolerance());
    }

private:
    double tolerance() const { return 1e-3 / m_frameRate; }

    /// Passes on the current frame for all time steps before @p seconds.
    void takeBefore(double seconds)
    {
        while (!isDone() && static_cast<double>(m_taken) / m_frameRate < seconds - tolerance())
            take();
    }

    void take()
    {
        m_take(m_convert(*m_current, m_quarterTurns));
        ++m_taken;
    }

    OpenVideo& m_video;
    double m_frameRate;
    std::int64_t m_frames;
    const FrameSink& m_take;
    int m_quarterTurns;
    ffmpeg::Frame m_current;
    std::optional<double> m_first;
    double m_currentTime = 0;
    std::int64_t m_taken = 0, m_decoded = 0;
    ffmpeg::RgbConverter m_convert;
};

void decode(OpenVideo& video, FramePicker& picker)
{
    const ffmpeg::Codec decoder = video.openDecoder();
    const ffmpeg::Packet packet(av_packet_alloc());
    const ffmpeg::Frame frame(av_frame_alloc());
    bool isAtEnd = false;
    while (!picker.isDone()) {
        int result = avcodec_receive_frame(decoder.get(), frame.get());
        if (result >= 0) {
            picker.add(*frame);
            continue;
        }
        if (result != AVERROR(EAGAIN) || isAtEnd)
            return;
        isAtEnd = !video.next(*packet);
        result = avcodec_send_packet(decoder.get(), isAtEnd ? nullptr : packet.get());
        require(result >= 0 || result == AVERROR_EOF || result == AVERROR_INVALIDDATA, "cannot be decoded");
    }
}

/// Runs @p work and puts the file's name in front of its error messages.
template <typename Work>
auto naming(const std::filesystem::path& file, const Work& work)
{
    try {
        return work();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

class FfmpegVideos final : public VideoFiles {
public:
    FfmpegVideos() { ffmpeg::setLimits(); }

    VideoInfo probe(const std::filesystem::path& file, double frameRate, std::int64_t maxFrames) const override
    {
        return naming(file, [&] {
            OpenVideo video(file);
            const AVCodecParameters& form = *video.stream().codecpar;
            const bool isSideways = video.quarterTurns() % 2 == 1;
            const VideoInfo result {isSideways ? ImageSize {form.height, form.width} : ImageSize {form.width, form.height},
                countedFrames(video, frameRate, maxFrames)};
            require(result.frames > 0, "has no frames");
            return result;
        });
    }

    void read(const std::filesystem::path& file, double frameRate, std::int64_t frames, const FrameSink& take) const override
    {
        naming(file, [&] {
            OpenVideo video(file);
            FramePicker picker(video, frameRate, frames, take);
            decode(video, picker);
            picker.finish();
            if (!picker.isDone())
                throw std::runtime_error("ends after only " + std::to_string(picker.taken()) + " of " + std::to_string(frames) + " frames");
        });
    }

    void write(const std::filesystem::path& file, double frameRate, std::int64_t frames,
        const std::function<Image(std::int64_t number)>& frame) const override
    {
        naming(file, [&] { ffmpeg::writeMp4(file, frameRate, frames, frame); });
    }
};

}  // namespace
}  // namespace engine

extern "C" const engine::VideoFiles* atelierVideoFiles()
{
    static const engine::FfmpegVideos videos;
    return &videos;
}

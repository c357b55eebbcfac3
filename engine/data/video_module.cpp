// libatelier_video.so: reads and writes videos with FFmpeg. Input files are not trusted: only listed containers are accepted,
// only the file itself is opened, and sizes are checked before memory is allocated.
#include "engine/data/video_file.h"
#include "engine/data/ffmpeg.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace engine {
namespace {

constexpr std::size_t kMaxAllocationBytes = std::size_t {1} << 28;
constexpr char kContainers[] = "avi,gif,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mpeg,mpegts,ogg";
constexpr std::int64_t kMaxDecodedPerTaken = 1000;  ///< limit of decoded frames per used frame

void require(bool holds, const char* what)
{
    if (!holds)
        throw std::runtime_error(what);
}

/// An open video file and its best video stream.
class OpenVideo {
public:
    explicit OpenVideo(const std::filesystem::path& file)
    {
        AVDictionary* options = nullptr;
        av_dict_set(&options, "protocol_whitelist", "file", 0);
        av_dict_set(&options, "format_whitelist", kContainers, 0);
        av_dict_set(&options, "max_streams", "64", 0);
        AVFormatContext* opened = nullptr;
        const int result = avformat_open_input(&opened, ("file:" + file.string()).c_str(), nullptr, &options);
        av_dict_free(&options);
        require(result >= 0, "is not a video that FFmpeg can open");
        m_format.reset(opened);
        findStreams();
        const int number = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
        require(number >= 0, "has no video stream");
        m_stream = opened->streams[number];
        const AVCodecParameters& form = *m_stream->codecpar;
        require(form.width > 0 && form.height > 0 && std::int64_t {form.width} * form.height <= kMaxFramePixels,
            "has empty frames, or frames of more than 33 million pixels");
        for (unsigned i = 0; i < opened->nb_streams; ++i)
            opened->streams[i]->discard = opened->streams[i] == m_stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    }

    AVStream& stream() const { return *m_stream; }

    /// Returns how many clockwise turns by 90° make the video upright.
    int quarterTurns() const
    {
        std::size_t bytes = 0;
        const auto* matrix = reinterpret_cast<const std::int32_t*>(av_stream_get_side_data(m_stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes));
        if (!matrix || bytes < 9 * sizeof(std::int32_t))
            return 0;
        const double angle = av_display_rotation_get(matrix);  // counterclockwise
        return std::isfinite(angle) ? static_cast<int>(((std::lround(-angle / 90) % 4) + 4) % 4) : 0;
    }

    /// Reads the next packet of the stream; returns false at the end.
    bool next(AVPacket& packet)
    {
        for (;;) {
            av_packet_unref(&packet);
            const int result = av_read_frame(m_format.get(), &packet);
            if (result < 0)
                return false;
            if (packet.stream_index == m_stream->index)
                return true;
        }
    }

    double seconds(std::int64_t time) const { return static_cast<double>(time) * av_q2d(m_stream->time_base); }

private:
    /// Finds the streams. FFmpeg decodes a little of each, so the same limits apply.
    void findStreams()
    {
        std::vector<AVDictionary*> limits(m_format->nb_streams, nullptr);
        for (AVDictionary*& limit : limits)
            av_dict_set_int(&limit, "max_pixels", kMaxFramePixels, 0);
        const int result = avformat_find_stream_info(m_format.get(), limits.data());
        for (AVDictionary*& limit : limits)
            av_dict_free(&limit);
        require(result >= 0, "has streams that cannot be read");
    }

    ffmpeg::InputFormat m_format;
    AVStream* m_stream = nullptr;
};

/// Estimates the time of a frame without a timestamp, in seconds.
double guessedSeconds(const AVStream& stream, std::int64_t number)
{
    const double rate = av_q2d(stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : AVRational {25, 1});
    return static_cast<double>(number) / rate;
}

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

/// Converts frames to RGB, with the colour space that they declare or else the usual one for their size.
class RgbConverter {
public:
    Image operator()(const AVFrame& frame, int quarterTurns)
    {
        const auto format = static_cast<AVPixelFormat>(frame.format);
        m_scaler.reset(sws_getCachedContext(m_scaler.release(), frame.width, frame.height, format, frame.width, frame.height,
            AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
        require(m_scaler != nullptr, "has an unsupported pixel format");
        constexpr int kHighDefinition = 720;
        const int usual = frame.height >= kHighDefinition ? SWS_CS_ITU709 : SWS_CS_ITU601;
        const int space = frame.colorspace == AVCOL_SPC_UNSPECIFIED ? usual : static_cast<int>(frame.colorspace);
        const int isFull = frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
        sws_setColorspaceDetails(m_scaler.get(), sws_getCoefficients(space), isFull, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
        Image image {frame.width, frame.height, {}};
        const std::size_t row = static_cast<std::size_t>(frame.width) * 3;
        image.rgb.resize(row * static_cast<std::size_t>(frame.height));
        // Convert into padded rows, because some of swscale's code writes a few bytes beyond a row's end.
        const int stride = (frame.width * 3 + 63) / 64 * 64;
        m_rows.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(frame.height) + 64);
        std::uint8_t* const planes[4] = {m_rows.data(), nullptr, nullptr, nullptr};
        const int strides[4] = {stride, 0, 0, 0};
        require(sws_scale(m_scaler.get(), frame.data, frame.linesize, 0, frame.height, planes, strides) == frame.height,
            "has a frame that cannot be converted");
        for (int y = 0; y < frame.height; ++y)
            std::memcpy(image.rgb.data() + row * static_cast<std::size_t>(y), m_rows.data() + std::ptrdiff_t {stride} * y, row);
        for (int turn = 0; turn < quarterTurns; ++turn)
            image = turnedRight(image);
        return image;
    }

private:
    static Image turnedRight(const Image& from)
    {
        Image to {from.height, from.width, std::vector<std::uint8_t>(from.rgb.size())};
        for (int y = 0; y < to.height; ++y) {
            for (int x = 0; x < to.width; ++x) {
                const auto source = static_cast<std::size_t>(from.height - 1 - x) * static_cast<std::size_t>(from.width) + static_cast<std::size_t>(y);
                const auto target = static_cast<std::size_t>(y) * static_cast<std::size_t>(to.width) + static_cast<std::size_t>(x);
                std::memcpy(to.rgb.data() + target * 3, from.rgb.data() + source * 3, 3);
            }
        }
        return to;
    }

    ffmpeg::Scaler m_scaler;
    std::vector<std::uint8_t> m_rows;
};

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
        require(frame.width > 0 && frame.height > 0 && std::int64_t {frame.width} * frame.height <= kMaxFramePixels,
            "has empty frames, or frames of more than 33 million pixels");
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
    RgbConverter m_convert;
};

ffmpeg::Codec openDecoder(const AVStream& stream)
{
    const AVCodec* const codec = avcodec_find_decoder(stream.codecpar->codec_id);
    require(codec != nullptr, "uses a codec that this FFmpeg does not support");
    ffmpeg::Codec decoder(avcodec_alloc_context3(codec));
    require(decoder && avcodec_parameters_to_context(decoder.get(), stream.codecpar) >= 0, "has unsupported codec parameters");
    decoder->max_pixels = kMaxFramePixels;
    decoder->thread_count = 1;  // ranks already run in parallel
    decoder->pkt_timebase = stream.time_base;
    require(avcodec_open2(decoder.get(), codec, nullptr) >= 0, "cannot be decoded");
    return decoder;
}

void decode(OpenVideo& video, FramePicker& picker)
{
    const ffmpeg::Codec decoder = openDecoder(video.stream());
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
    FfmpegVideos()
    {
        av_log_set_level(AV_LOG_QUIET);
        av_max_alloc(kMaxAllocationBytes);
    }

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

#include "engine/video/open_video.h"

#include "engine/data/video_file.h"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace engine::ffmpeg {
namespace {

constexpr std::size_t kMaxAllocationBytes = std::size_t {1} << 28;
constexpr char kContainers[] = "avi,gif,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mpeg,mpegts,ogg";

}  // namespace

void setLimits()
{
    av_log_set_level(AV_LOG_QUIET);
    av_max_alloc(kMaxAllocationBytes);
}

void require(bool holds, const char* what)
{
    if (!holds)
        throw std::runtime_error(what);
}

bool isFrameSize(int width, int height)
{
    return width > 0 && height > 0 && std::int64_t {width} * height <= kMaxFramePixels;
}

OpenVideo::OpenVideo(const std::filesystem::path& file)
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
    require(isFrameSize(m_stream->codecpar->width, m_stream->codecpar->height), "has empty frames, or frames of more than 33 million pixels");
    for (unsigned i = 0; i < opened->nb_streams; ++i)
        opened->streams[i]->discard = opened->streams[i] == m_stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

/// Finds the streams. FFmpeg decodes a little of each, so the same limits apply.
void OpenVideo::findStreams()
{
    std::vector<AVDictionary*> limits(m_format->nb_streams, nullptr);
    for (AVDictionary*& limit : limits)
        av_dict_set_int(&limit, "max_pixels", kMaxFramePixels, 0);
    const int result = avformat_find_stream_info(m_format.get(), limits.data());
    for (AVDictionary*& limit : limits)
        av_dict_free(&limit);
    require(result >= 0, "has streams that cannot be read");
}

Codec OpenVideo::openDecoder() const
{
    const AVCodec* const codec = avcodec_find_decoder(m_stream->codecpar->codec_id);
    require(codec != nullptr, "uses a codec that this FFmpeg does not support");
    Codec decoder(avcodec_alloc_context3(codec));
    require(decoder && avcodec_parameters_to_context(decoder.get(), m_stream->codecpar) >= 0, "has unsupported codec parameters");
    decoder->max_pixels = kMaxFramePixels;
    decoder->thread_count = 1;
    decoder->pkt_timebase = m_stream->time_base;
    require(avcodec_open2(decoder.get(), codec, nullptr) >= 0, "cannot be decoded");
    return decoder;
}

int OpenVideo::quarterTurns() const
{
    std::size_t bytes = 0;
    const auto* matrix = reinterpret_cast<const std::int32_t*>(av_stream_get_side_data(m_stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes));
    if (!matrix || bytes < 9 * sizeof(std::int32_t))
        return 0;
    const double angle = av_display_rotation_get(matrix);  // counterclockwise
    return std::isfinite(angle) ? static_cast<int>(((std::lround(-angle / 90) % 4) + 4) % 4) : 0;
}

bool OpenVideo::next(AVPacket& packet)
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

double guessedSeconds(const AVStream& stream, std::int64_t number)
{
    const double rate = av_q2d(stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : AVRational {25, 1});
    return static_cast<double>(number) / rate;
}

}  // namespace engine::ffmpeg

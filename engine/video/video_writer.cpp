// The part of libatelier_video.so that writes videos.
#include "engine/video/ffmpeg.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

namespace engine::ffmpeg {
namespace {

void check(int result, const char* what)
{
    if (result < 0)
        throw std::runtime_error(what);
}

struct OutputCloser {
    void operator()(AVFormatContext* format) const
    {
        if (format->pb)
            avio_closep(&format->pb);
        avformat_free_context(format);
    }
};

/// An MP4 file with one stream.
class Mp4 {
public:
    Mp4(const std::filesystem::path& file, ImageSize size, double frameRate)
    {
        AVFormatContext* made = nullptr;
        check(avformat_alloc_output_context2(&made, nullptr, "mp4", file.c_str()), "this FFmpeg cannot write MP4 files");
        m_format.reset(made);
        openEncoder(size, frameRate);
        m_stream = avformat_new_stream(m_format.get(), nullptr);
        if (!m_stream)
            throw std::bad_alloc();
        m_stream->time_base = m_codec->time_base;
        m_stream->avg_frame_rate = m_codec->framerate;
        check(avcodec_parameters_from_context(m_stream->codecpar, m_codec.get()), "the encoder reports no stream parameters");
        check(avio_open(&m_format->pb, ("file:" + file.string()).c_str(), AVIO_FLAG_WRITE), "cannot be written");
        check(avformat_write_header(m_format.get(), nullptr), "cannot be written");
        m_scaler.reset(sws_getContext(size.width, size.height, AV_PIX_FMT_RGB24, size.width, size.height, AV_PIX_FMT_YUV420P,
            SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
        m_frame.reset(av_frame_alloc());
        m_packet.reset(av_packet_alloc());
        if (!m_scaler || !m_frame || !m_packet)
            throw std::bad_alloc();
        m_frame->format = AV_PIX_FMT_YUV420P;
        m_frame->width = size.width;
        m_frame->height = size.height;
        check(av_frame_get_buffer(m_frame.get(), 0), "needs more memory than is available");
    }

    void add(const Image& image, std::int64_t number)
    {
        if (image.width != m_frame->width || image.height != m_frame->height)
            throw std::runtime_error("all frames of a video must have the same size");
        check(av_frame_make_writable(m_frame.get()), "needs more memory than is available");
        const std::uint8_t* const planes[4] = {image.rgb.data(), nullptr, nullptr, nullptr};
        const int strides[4] = {image.width * 3, 0, 0, 0};
        sws_scale(m_scaler.get(), planes, strides, 0, image.height, m_frame->data, m_frame->linesize);
        m_frame->pts = number;
        encode(m_frame.get());
    }

    void finish()
    {
        encode(nullptr);
        check(av_write_trailer(m_format.get()), "cannot be written");
        check(avio_closep(&m_format->pb), "cannot be written");
    }

private:
    void openEncoder(ImageSize size, double frameRate)
    {
        const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_H264);
        if (!codec)
            codec = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
        if (!codec)
            throw std::runtime_error("this FFmpeg has neither an H.264 nor an MPEG-4 encoder");
        m_codec.reset(avcodec_alloc_context3(codec));
        if (!m_codec)
            throw std::bad_alloc();
        constexpr int kMaxDenominator = 1000;  // of the frame rate as a fraction
        m_codec->width = size.width;
        m_codec->height = size.height;
        m_codec->pix_fmt = AV_PIX_FMT_YUV420P;
        m_codec->framerate = av_d2q(frameRate, kMaxDenominator);
        m_codec->time_base = av_inv_q(m_codec->framerate);
        m_codec->thread_count = 1;
        m_codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_QSCALE;
        m_codec->global_quality = FF_QP2LAMBDA * 3;              // MPEG-4
        av_opt_set(m_codec->priv_data, "crf", "16", 0);         // H.264: visually lossless
        check(avcodec_open2(m_codec.get(), codec, nullptr), "the encoder does not support this frame size and rate");
    }

    void encode(const AVFrame* frame)
    {
        check(avcodec_send_frame(m_codec.get(), frame), "cannot be encoded");
        for (;;) {
            const int result = avcodec_receive_packet(m_codec.get(), m_packet.get());
            if (result == AVERROR(EAGAIN) || result == AVERROR_EOF)
                return;
            check(result, "cannot be encoded");
            m_packet->stream_index = m_stream->index;
            m_packet->duration = 1;
            av_packet_rescale_ts(m_packet.get(), m_codec->time_base, m_stream->time_base);
            check(av_interleaved_write_frame(m_format.get(), m_packet.get()), "cannot be written");
        }
    }

    std::unique_ptr<AVFormatContext, OutputCloser> m_format;
    AVStream* m_stream = nullptr;
    Codec m_codec;
    Frame m_frame;
    Packet m_packet;
    Scaler m_scaler;
};

}  // namespace

void writeMp4(const std::filesystem::path& file, double frameRate, std::int64_t frames, const std::function<Image(std::int64_t)>& frame)
{
    if (frames < 1 || !(frameRate > 0))
        throw std::runtime_error("a video needs at least one frame and a frame rate above 0");
    const Image first = frame(0);
    if (first.width < 2 || first.height < 2 || first.width % 2 != 0 || first.height % 2 != 0)
        throw std::runtime_error("a video's frames must have an even width and height");
    std::filesystem::path part = file;
    part += ".part";
    try {
        Mp4 mp4(part, {first.width, first.height}, frameRate);
        mp4.add(first, 0);
        for (std::int64_t number = 1; number < frames; ++number)
            mp4.add(frame(number), number);
        mp4.finish();
        std::filesystem::rename(part, file);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(part, ignored);
        throw;
    }
}

}  // namespace engine::ffmpeg

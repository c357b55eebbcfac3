// FFmpeg's headers, and owning pointers for its objects. Only this folder may include this.
#pragma once
#include "engine/data/image.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

namespace engine::ffmpeg {

struct Closer {
    void operator()(AVFormatContext* format) const { avformat_close_input(&format); }
    void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

using InputFormat = std::unique_ptr<AVFormatContext, Closer>;
using Codec = std::unique_ptr<AVCodecContext, Closer>;
using Frame = std::unique_ptr<AVFrame, Closer>;
using Packet = std::unique_ptr<AVPacket, Closer>;
using Scaler = std::unique_ptr<SwsContext, Closer>;

/// See VideoFiles::write(). @throws std::runtime_error that says what is wrong, without the file's name.
void writeMp4(const std::filesystem::path& file, double frameRate, std::int64_t frames,
    const std::function<Image(std::int64_t number)>& frame);

}  // namespace engine::ffmpeg

#include "engine/video/rgb_converter.h"

#include "engine/video/open_video.h"

#include <cstring>

namespace engine::ffmpeg {
namespace {

Image turnedRight(const Image& from)
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

}  // namespace

Image RgbConverter::operator()(const AVFrame& frame, int quarterTurns)
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

}  // namespace engine::ffmpeg

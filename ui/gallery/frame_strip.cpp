#include "ui/gallery/frame_strip.h"

namespace ui {

FrameStrip frameStrip(const QString& frames, const QString& gap, const QSize& size)
{
    constexpr int kMostFrames = 1000, kWidestGap = 64;
    const FrameStrip strip {frames.toInt(), gap.toInt()};
    if (strip.frames < 2 || strip.frames > kMostFrames || strip.gap < 0 || strip.gap > kWidestGap)
        return {};
    const int pixels = size.width() - strip.gap * (strip.frames + 1);
    const bool isWhole = pixels >= strip.frames && pixels % strip.frames == 0 && size.height() > 2 * strip.gap;
    return isWhole ? strip : FrameStrip {};
}

QRect frameRect(const FrameStrip& strip, const QSize& size, int number)
{
    const int width = (size.width() - strip.gap) / strip.frames - strip.gap;
    return {strip.gap + number * (width + strip.gap), strip.gap, width, size.height() - 2 * strip.gap};
}

}  // namespace ui

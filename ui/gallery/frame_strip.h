// An image that shows frames of a video side by side, as samples of video models are written.
#pragma once
#include <QRect>
#include <QSize>
#include <QString>

namespace ui {

/// The default one is that of any other image.
struct FrameStrip {
    int frames = 0;
    int gap = 0;  ///< pixels around and between frames
    bool isPlayable() const { return frames > 1; }
};

/// @param frames and @p gap: the texts of those names in the file, which may be anything
/// @param size of the image @return the default one, unless such frames fill an image of that size
FrameStrip frameStrip(const QString& frames, const QString& gap, const QSize& size);

/// The part of an image of @p size that frame @p number is, counted from 0.
QRect frameRect(const FrameStrip& strip, const QSize& size, int number);

}  // namespace ui

// How two images differ, pixel by pixel.
#pragma once
#include <QImage>

#include <optional>

namespace ui {

struct ImageDifference {
    QImage pixels;       ///< the absolute difference of each colour, times the gain, at most 255
    double mean = 0;     ///< of the absolute differences of all pixels and colours, 0 … 255, without the gain
    int largest = 0;     ///< of them
    double changed = 0;  ///< share of the pixels that differ, 0 … 1
};

/// @return nullopt when the sizes differ or an image is null. May be called on any thread. Transparency is ignored.
std::optional<ImageDifference> differenceOf(const QImage& a, const QImage& b, int gain);

}  // namespace ui

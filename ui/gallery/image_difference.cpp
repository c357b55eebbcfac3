#include "ui/gallery/image_difference.h"

#include <algorithm>
#include <cstdlib>

namespace ui {

std::optional<ImageDifference> differenceOf(const QImage& a, const QImage& b, int gain)
{
    if (a.isNull() || a.size() != b.size())
        return {};
    const QImage first = a.convertToFormat(QImage::Format_RGB32), second = b.convertToFormat(QImage::Format_RGB32);
    ImageDifference difference {.pixels = QImage(a.size(), QImage::Format_RGB32)};
    std::int64_t sum = 0, changed = 0;
    for (int y = 0; y < a.height(); ++y) {
        const auto* left = reinterpret_cast<const QRgb*>(first.constScanLine(y));
        const auto* right = reinterpret_cast<const QRgb*>(second.constScanLine(y));
        auto* out = reinterpret_cast<QRgb*>(difference.pixels.scanLine(y));
        for (int x = 0; x < a.width(); ++x) {
            const int red = std::abs(qRed(left[x]) - qRed(right[x])), green = std::abs(qGreen(left[x]) - qGreen(right[x])),
                      blue = std::abs(qBlue(left[x]) - qBlue(right[x]));
            sum += red + green + blue;
            changed += red + green + blue > 0;
            difference.largest = std::max({difference.largest, red, green, blue});
            out[x] = qRgb(std::min(255, red * gain), std::min(255, green * gain), std::min(255, blue * gain));
        }
    }
    const double pixels = static_cast<double>(a.width()) * a.height();
    difference.mean = static_cast<double>(sum) / (3 * pixels);
    difference.changed = static_cast<double>(changed) / pixels;
    return difference;
}

}  // namespace ui

#include "ui/plot/lines/value_range.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double kMargin = 0.06;
constexpr std::size_t kMaxSampledValues = 200'000;

template <typename Visit>
void forEachSeen(const std::vector<CurveView>& curves, XAxis axis, const Interval& x, Visit visit)
{
    for (const CurveView& view : curves) {
        for (const LinePoints::Stretch& stretch : view.points->stretches(axis)) {
            const std::size_t first = view.points->indexAt(stretch, x.lower, axis);
            const std::size_t last = view.points->indexAt(stretch, x.upper, axis, true);
            visit(*view.curve, first, std::min(last, view.curve->size()));
        }
    }
}

}  // namespace

MinMax seenRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x)
{
    MinMax range;
    forEachSeen(curves, axis, x, [&](const Curve& curve, std::size_t first, std::size_t last) {
        range.add(scale == Scale::Logarithmic ? curve.positiveRange(first, last)
                                              : curve.finiteRange(first, last));
    });
    return range;
}

MinMax clippedRange(const std::vector<CurveView>& curves, XAxis axis, Scale scale, const Interval& x)
{
    std::size_t seen = 0;
    forEachSeen(curves, axis, x,
        [&](const Curve&, std::size_t first, std::size_t last) { seen += last - std::min(first, last); });
    const std::size_t stride = seen / kMaxSampledValues + 1;
    std::vector<double> values;
    values.reserve(seen / stride + curves.size());
    forEachSeen(curves, axis, x, [&](const Curve& curve, std::size_t first, std::size_t last) {
        for (std::size_t index = first; index < last; index += stride)
            if (const double value = curve.values()[index];
                std::isfinite(value) && (scale == Scale::Linear || value > 0))
                values.push_back(value);
    });
    MinMax range;
    if (values.empty())
        return range;
    const auto at = [&](double part) {
        const auto nth = values.begin()
            + static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(values.size() - 1)));
        std::nth_element(values.begin(), nth, values.end());
        return *nth;
    };
    range.add(at(0.01));
    range.add(at(0.99));
    return range;
}

Interval padded(const MinMax& range, Scale scale)
{
    const bool isLog = scale == Scale::Logarithmic;
    if (range.isEmpty())
        return isLog ? Interval {0.1, 10} : Interval {0, 1};
    if (isLog) {
        const double low = std::log10(range.minimum);
        const double high = std::log10(range.maximum);
        const double margin = std::max(kMargin * (high - low), high > low ? 0.01 : 0.5);
        return {std::pow(10, low - margin), std::pow(10, high + margin)};
    }
    // Halved before subtracting, since the difference of two finite numbers may overflow.
    const double half = range.maximum / 2 - range.minimum / 2;
    const double around = std::max(std::abs(range.minimum), std::abs(range.maximum));
    // Differences far below a value's precision are not worth showing: such a line is drawn as a constant, centred.
    const double margin = half > around * 1e-12 ? 2 * kMargin * half : (around > 0 ? std::max(around * 0.05, 1e-200) : 1);
    constexpr double kLargest = 1e300;
    return {std::max(range.minimum - margin, -kLargest), std::min(range.maximum + margin, kLargest)};
}

}  // namespace ui

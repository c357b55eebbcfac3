#include "engine/data/aspect_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

double logRatio(ImageSize size) { return std::log(static_cast<double>(size.width) / size.height); }

std::int64_t area(ImageSize size) { return std::int64_t {size.width} * size.height; }

}  // namespace

std::vector<ImageSize> aspectBuckets(int resolution, int step, double maxRatio)
{
    if (step < 1 || resolution < step || resolution % step != 0 || !(maxRatio >= 1) || resolution > 65535)
        throw std::invalid_argument("aspectBuckets: resolution " + std::to_string(resolution) + ", step " + std::to_string(step)
            + ", ratio " + std::to_string(maxRatio));
    const std::int64_t maxArea = std::int64_t {resolution} * resolution;
    const double maxLogRatio = std::log(maxRatio) + 1e-9;
    std::vector<ImageSize> buckets;
    for (int width = step; width <= std::min(resolution * maxRatio, 65535.0); width += step) {
        const auto height = static_cast<int>(maxArea / width / step) * step;
        const ImageSize size {width, height};
        if (height >= step && std::abs(logRatio(size)) <= maxLogRatio)
            buckets.push_back(size);
    }
    return buckets;
}

std::size_t nearestBucket(const std::vector<ImageSize>& buckets, ImageSize size)
{
    const double target = logRatio(size);
    const auto isNearer = [&](ImageSize a, ImageSize b) {
        const double distance = std::abs(logRatio(a) - target);
        const double other = std::abs(logRatio(b) - target);
        return distance != other ? distance < other : area(a) > area(b);
    };
    return static_cast<std::size_t>(std::min_element(buckets.begin(), buckets.end(), isNearer) - buckets.begin());
}

Crop cropTo(ImageSize bucket, ImageSize image)
{
    const double aspectRatio = static_cast<double>(bucket.width) / bucket.height;
    const auto fitted = [](double side, int limit) { return static_cast<int>(std::clamp(std::round(side), 1.0, static_cast<double>(limit))); };
    Crop crop;
    crop.width = fitted(image.height * aspectRatio, image.width);
    crop.height = fitted(image.width / aspectRatio, image.height);
    crop.left = (image.width - crop.width) / 2;
    crop.top = (image.height - crop.height) / 2;
    return crop;
}

}  // namespace engine

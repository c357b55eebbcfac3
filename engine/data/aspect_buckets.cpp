#include "engine/data/aspect_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

double shape(PictureSize size) { return std::log(static_cast<double>(size.width) / size.height); }

std::int64_t area(PictureSize size) { return std::int64_t {size.width} * size.height; }

}  // namespace

std::vector<PictureSize> aspectBuckets(int resolution, int step, double maxRatio)
{
    if (step < 1 || resolution < step || resolution % step != 0 || !(maxRatio >= 1) || resolution > 65535)
        throw std::invalid_argument("aspectBuckets: resolution " + std::to_string(resolution) + ", step " + std::to_string(step)
            + ", ratio " + std::to_string(maxRatio));
    const std::int64_t mostArea = std::int64_t {resolution} * resolution;
    const double mostShape = std::log(maxRatio) + 1e-9;
    std::vector<PictureSize> buckets;
    for (int width = step; width <= std::min(resolution * maxRatio, 65535.0); width += step) {
        const auto height = static_cast<int>(mostArea / width / step) * step;
        const PictureSize size {width, height};
        if (height >= step && std::abs(shape(size)) <= mostShape)
            buckets.push_back(size);
    }
    return buckets;
}

std::size_t nearestBucket(const std::vector<PictureSize>& buckets, PictureSize size)
{
    const double wanted = shape(size);
    const auto isNearer = [&](PictureSize a, PictureSize b) {
        const double distance = std::abs(shape(a) - wanted);
        const double other = std::abs(shape(b) - wanted);
        return distance != other ? distance < other : area(a) > area(b);
    };
    return static_cast<std::size_t>(std::min_element(buckets.begin(), buckets.end(), isNearer) - buckets.begin());
}

Crop cropTo(PictureSize bucket, PictureSize picture)
{
    const double shapeRatio = static_cast<double>(bucket.width) / bucket.height;
    const auto fitted = [](double side, int most) { return static_cast<int>(std::clamp(std::round(side), 1.0, static_cast<double>(most))); };
    Crop crop;
    crop.width = fitted(picture.height * shapeRatio, picture.width);
    crop.height = fitted(picture.width / shapeRatio, picture.height);
    crop.left = (picture.width - crop.width) / 2;
    crop.top = (picture.height - crop.height) / 2;
    return crop;
}

}  // namespace engine

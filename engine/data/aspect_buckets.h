// Aspect-ratio buckets: training sizes of about equal area and different shapes, so that crops lose little of an image and
// all images of a batch have one size.
#pragma once
#include "engine/data/image.h"

#include <cstddef>
#include <vector>

namespace engine {

/// Returns, for each width that is a multiple of @p step, the size with the largest height that is a multiple of @p step and
/// keeps the area within resolution². No side is more than @p maxRatio times the other; with maxRatio 1 only the square is
/// left. Sorted by width.
/// @param resolution side of the square, a multiple of step
/// @throws std::invalid_argument when it is not a multiple of step, or when maxRatio < 1.
std::vector<ImageSize> aspectBuckets(int resolution, int step, double maxRatio);

/// Returns the index of the bucket whose aspect ratio is closest to that of @p size; in a tie, of the one with the larger area.
/// @param buckets not empty
std::size_t nearestBucket(const std::vector<ImageSize>& buckets, ImageSize size);

/// A centred crop of an image, in pixels.
struct Crop {
    int left = 0;
    int top = 0;
    int width = 0;
    int height = 0;
};

/// Returns the largest centred crop of @p image with the aspect ratio of @p bucket, rounded to whole pixels.
Crop cropTo(ImageSize bucket, ImageSize image);

}  // namespace engine

// Sizes that pictures are trained at: about one area, different shapes, so that little is cut off and batches are uniform.
#pragma once
#include "engine/data/picture.h"

#include <cstddef>
#include <vector>

namespace engine {

/// All sizes whose sides are multiples of @p step, whose area is at most resolution², and which could not be a step
/// higher; no side more than @p maxRatio times the other. They ascend in width. With maxRatio 1: the square alone.
/// @param resolution side of the square, a multiple of step. @throws std::invalid_argument otherwise, or for maxRatio < 1.
std::vector<PictureSize> aspectBuckets(int resolution, int step, double maxRatio);

/// Which of @p buckets has the shape most like @p size; of two like ones the larger. @param buckets not empty.
std::size_t nearestBucket(const std::vector<PictureSize>& buckets, PictureSize size);

/// The largest part of a picture, from its middle, that has a bucket's shape to the nearest pixel; it is then scaled.
struct Crop {
    int left = 0;
    int top = 0;
    int width = 0;
    int height = 0;
};

Crop cropTo(PictureSize bucket, PictureSize picture);

}  // namespace engine

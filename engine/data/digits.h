// The handwritten digits data set that is part of every installation: 8 × 8 pixels, ten classes.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

namespace engine {

struct LabelledImages {
    at::Tensor images;  ///< [N, C, H, W] float32 in [-1, 1], on the CPU
    at::Tensor labels;  ///< [N] int64 in [0, classes)
    std::int64_t classes = 10;
};

struct DataSplit {
    LabelledImages training;
    LabelledImages validation;  ///< has no row in common with training
};

/// Reads a gzipped CSV file whose lines are 64 pixels (0..16) and a label (0..9).
///
/// The held-out rows depend only on @p seed and the number of rows. Their number is the fraction @p validationFraction of all
/// rows, rounded; at least one row is left for training.
/// @throws EngineError Failure naming the file and, if possible, the line.
DataSplit loadDigits(
    const std::filesystem::path& gzippedCsv, double validationFraction, std::uint64_t seed);

}  // namespace engine

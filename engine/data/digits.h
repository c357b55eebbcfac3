// The handwritten digits that every installation carries: 8 × 8 pixels, ten classes.
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
    LabelledImages validation;  ///< shares no row with training
};

/// Reads gzipped lines of 64 pixels (0..16) and a label (0..9), with commas between.
///
/// Which rows are held out depends on @p seed and the number of rows alone; they are as many as
/// @p validationFraction of them, rounded. At least one row is left for training.
/// @throws EngineError Failure naming the file, and the line where there is one.
DataSplit loadDigits(
    const std::filesystem::path& gzippedCsv, double validationFraction, std::uint64_t seed);

}  // namespace engine

// Samples while training: guided pictures of every label, drawn by all ranks together.
#pragma once
#include "engine/comm/group.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/model/model.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// One picture for each of @p labels. Collective; picture number i depends on
/// the seed, the purpose and i alone.
/// @return [labels, C, H, W] float32 on the CPU, the same on every rank.
at::Tensor drawSamples(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const std::vector<std::int64_t>& labels, at::IntArrayRef imageShape, const SamplerOptions& options,
    std::uint64_t seed, std::string_view purpose, c10::Device device);

/// 0, 0, 0, 1, 1, 1 … : @p perLabel of each.
std::vector<std::int64_t> repeatedLabels(std::int64_t classes, std::int64_t perLabel);

/// Frames of clips as pictures, those of one clip after another: evenly from its first to its last, 8 at most of each.
/// @param clips [B, 3, F, H, W] @return [B · min(F, 8), 3, H, W]
at::Tensor filmStrips(const at::Tensor& clips);

/// A grid of @p columns. @return its path relative to the run's folder. @throws std::system_error naming the file.
std::string writeSampleGrid(const std::filesystem::path& runFolder, const at::Tensor& images,
    int columns, const std::string& prompt, std::int64_t step, std::uint64_t seed, const SamplerOptions& options);

}  // namespace engine

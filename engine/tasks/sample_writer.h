// Draws samples of class-conditional models on all ranks, and writes samples as images.
#pragma once
#include "engine/comm/group.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/models/transformer/model.h"
#include "engine/rounds/rollout_source.h"
#include "engine/tasks/drawn_sample.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// Draws one guided image for each of @p labels. Image i depends only on its label, the seed, the purpose and i. Collective.
/// @return [labels, C, H, W] float32 on the CPU, the same on every rank.
at::Tensor drawSamples(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const std::vector<std::int64_t>& labels, at::IntArrayRef imageShape, const SamplerOptions& options,
    std::uint64_t seed, std::string_view purpose, c10::Device device);

/// Returns 0, 1, … classes - 1, repeated @p perLabel times.
std::vector<std::int64_t> repeatedLabels(std::int64_t classes, std::int64_t perLabel);

/// Picks up to 8 evenly spaced frames of each video, from the first to the last, as a batch of images in video order.
/// @param videos [B, 3, F, H, W] @return [B · min(F, 8), 3, H, W]
at::Tensor spacedFrames(const at::Tensor& videos);

/// Writes what was drawn for one prompt as a PNG with the model's own pixels. Several images of a sample are placed side by side, those
/// of a label in a square, with narrow gaps; "frames" and "gap" among its texts say that they are a video's. @throws std::system_error naming the file.
void writeSample(const std::filesystem::path& file, const DrawnSample& sample, std::int64_t step, std::uint64_t seed, const SamplerOptions& options);

/// Writes a sample of a round with what is known of it. @param frames as for SampleKeeper; placed side by side
/// @throws std::system_error naming the file.
void writeRoundSample(const std::filesystem::path& file, const RoundSample& sample, const std::string& prompt, const at::Tensor& frames);

}  // namespace engine

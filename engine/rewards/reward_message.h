// The JSON that external scorers, programs and servers, get and answer. README.md describes it for their authors.
#pragma once
#include "engine/rewards/reward.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The bytes of PNG files, 8 bits per channel. @param images [b, 3, H, W]; clamped to [0, 1], NaN is black
std::vector<std::string> pngFiles(const at::Tensor& images);

/// The PNG files of each sample: one of an image, one of each frame of a video. @param images as in RewardBatch
std::vector<std::vector<std::string>> sampleFiles(const at::Tensor& images);

std::string base64(std::string_view bytes);

/// {"id": …, "samples": [{"image": base64 of a PNG file, "prompt": …, "fields": {…}}, …]}, on one line without its end. Videos have
/// "frames", a list of such images, instead.
/// @param pairs to compare: "pairs": [[0, 1], …]; left out when there are none
std::string rewardRequest(const RewardBatch& batch, std::uint64_t id, const std::vector<SamplePair>& pairs = {});

/// Reads {"id": …, "scores": […]}.
/// @param id what "id" must be; any value, or none, when there is none
/// @param scored what has a score each: "sample" or "pair"
/// @return [count] float32
/// @throws std::runtime_error with what is wrong with the answer, as a clause: "answered 3 scores for 4 samples"
at::Tensor parsedScores(std::string_view answer, std::int64_t count, std::optional<std::uint64_t> id, const std::string& scored = "sample");

}  // namespace engine

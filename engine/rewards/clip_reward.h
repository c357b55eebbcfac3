// Scores of CLIP models: how well images fit their prompts (PickScore and its like), and what a head makes of the images' features.
#pragma once
#include "engine/comm/group.h"
#include "engine/rewards/reward.h"

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <string>

namespace engine {

/// Loads a CLIP model, and scores an image so that weights that do not fit are noticed now. The score is exp(logit_scale) times the
/// cosine of the angle between the embeddings of image and prompt; a video's is the mean of those of kScoredFrames frames.
/// @param name part of metric names
/// @param folder of a CLIPModel of transformers
/// @param device that computes
/// @param shards ranks that keep a part of the model each (row E-028), so that loading and scoring are collectives with equally many
///        samples on all of them; must outlive the result; nullptr: each rank has the whole model
/// @throws EngineError naming the folder
std::unique_ptr<Reward> loadClipReward(std::string name, std::filesystem::path folder, c10::Device device, Group* shards = nullptr);

/// Does the same with a folder that also holds contract::kAestheticHead: linear layers, "weight" and "bias", or "layers.0.weight",
/// "layers.0.bias", "layers.2.weight" …, that are applied in the order of their numbers to the image's embedding of length 1. The last
/// one gives the score, whatever the prompt is.
std::unique_ptr<Reward> loadAestheticReward(std::string name, std::filesystem::path folder, c10::Device device, Group* shards = nullptr);

}  // namespace engine

// The ranks' part of `atelier generate`: pictures or clips of prompts, from a pipeline's folder to files.
#pragma once
#include "engine/comm/rank_identity.h"
#include "engine/contract/image_request.h"

#include <functional>
#include <string>

namespace engine {

/// Lines for who started rank 0: "progress …", "warning …", and "file PATH" for each picture, or for the frames of each clip and the
/// clip as one file, in the order of the prompts.
using LineSink = std::function<void(const std::string&)>;

/// The transformer lies in shards on all ranks, which divide the pictures. Picture i depends on the seed, its prompt and i
/// alone, up to rounding. Collective.
/// @throws EngineError, std::runtime_error in one sentence naming what is wrong.
void generateImages(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& tell);

}  // namespace engine

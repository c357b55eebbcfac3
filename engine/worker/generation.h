// The ranks' part of `atelier generate`: draws images or videos for prompts with a diffusers model and writes the files.
#pragma once
#include "engine/comm/rank_identity.h"
#include "engine/contract/run/image_request.h"

#include <functional>
#include <string>

namespace engine {

/// Receives the lines that rank 0 reports to the program that started it: "progress …", "warning …", and "file PATH" in the
/// order of the prompts, for each image or for each video's frames and the video file.
using LineSink = std::function<void(const std::string&)>;

/// Draws the requested images. The transformer is sharded over all ranks, and the images are divided among them. Up to
/// rounding, image i depends only on the seed, its prompt and i. Collective.
/// @throws EngineError, std::runtime_error with one sentence that names what is wrong.
void generateImages(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& writeLine);

}  // namespace engine

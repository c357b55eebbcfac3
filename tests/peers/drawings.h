// Images and videos of prompts, drawn by Atelier and, from the same first latents, by diffusers' own pipelines.
#pragma once
#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tests {

struct Drawing {
    std::string name;
    std::filesystem::path folder;  ///< of a pipeline
    std::int64_t height, width, frames;
    double guidance;
    std::filesystem::path peerFolder = {};   ///< what diffusers draws with; empty: the same
    std::filesystem::path peerAdapter = {};  ///< a folder with a LoRA that diffusers loads; empty: none
};

/// The Python that has diffusers; see tests/peers/environment. Fails the test when there is none.
QString peersPython();

/// Draws all in a process of its own, then with diffusers. Writes NAME-ours.safetensors and NAME-theirs.safetensors into @p root, each with
/// "images": [B, 3, H, W], or [B, 3, F, H, W], in [0, 1]. Fails the test when that does not succeed.
void drawTwice(const std::vector<Drawing>& drawings, const QString& python, const std::filesystem::path& root);

/// Holds the two against each other: they differ by less than 1e-3, and show something.
void compareDrawings(const std::vector<Drawing>& drawings, const std::filesystem::path& root);

}  // namespace tests

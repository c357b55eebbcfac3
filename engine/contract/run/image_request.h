// The request file that `atelier generate` writes for the ranks that generate images or videos.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contract {

struct ImageRequest {
    std::string model;                 ///< a diffusers folder
    std::string transformer;           ///< a transformer's folder that is used in place of the model's; empty: the model's
    std::string secondTransformer;     ///< in place of the model's transformer_2, in the same form
    std::string adapter;               ///< file or folder of a LoRA adapter; empty: none
    std::string secondAdapter;         ///< for transformer_2, in the same form
    double adapterWeight = 1;          ///< scale of both adapters' contributions
    std::vector<std::string> prompts;  ///< at least one; one image or video is generated per prompt
    std::string negative;              ///< negative prompt, for pipelines that use one
    std::int64_t steps = 0;            ///< 0: the pipeline's default
    double guidance = -1;              ///< negative: the pipeline's default
    std::int64_t width = 0, height = 0;  ///< pixels; 0: the pipeline's default
    std::int64_t frames = 0;           ///< of a video; 0: the pipeline's default
    std::int64_t seed = 42;            ///< with its index, determines the noise of an image or video
    std::string dtype = "bf16";        ///< compute dtype of the transformer and text encoders: fp32, bf16, fp16
    std::string attention = "auto";    ///< a value of engine.attention
    std::string device = "auto";       ///< auto, cpu, cuda
    std::string folder;                ///< existing folder for image-0001.png …, or clip-0001/ …
    std::int64_t firstNumber = 1;      ///< in the name of the first image or video
};

/// @throws std::system_error naming the file.
void writeImageRequest(const std::filesystem::path& file, const ImageRequest& request);

/// @throws std::runtime_error in one sentence naming the file and what is wrong.
ImageRequest readImageRequest(const std::filesystem::path& file);

}  // namespace contract

// What `atelier generate` asks of the ranks that draw: the file that it hands them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contract {

struct ImageRequest {
    std::string model;                 ///< a diffusers folder
    std::string adapter;               ///< file or folder of a LoRA adapter; empty: none
    std::string secondAdapter;         ///< likewise, beside transformer_2
    double adapterWeight = 1;          ///< how much of them is added
    std::vector<std::string> prompts;  ///< at least one; a picture or clip of each
    std::string negative;              ///< what guidance leads away from, where a pipeline uses it
    std::int64_t steps = 0;            ///< 0: the pipeline's own
    double guidance = -1;              ///< negative: the pipeline's own
    std::int64_t width = 0, height = 0;  ///< pixels; 0: the pipeline's own
    std::int64_t frames = 0;           ///< of a clip; 0: the pipeline's own
    std::int64_t seed = 42;            ///< picture or clip i is drawn from it and i
    std::string dtype = "bf16";        ///< in which the transformer and the text encoders compute: fp32, bf16, fp16
    std::string attention = "auto";    ///< a value of engine.attention
    std::string device = "auto";       ///< auto, cpu, cuda
    std::string folder;                ///< where image-0001.png …, or clip-0001/ … go; it is there
};

/// @throws std::system_error naming the file.
void writeImageRequest(const std::filesystem::path& file, const ImageRequest& request);

/// @throws std::runtime_error in one sentence naming the file and what is wrong.
ImageRequest readImageRequest(const std::filesystem::path& file);

}  // namespace contract

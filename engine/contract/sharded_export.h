// Weights for other programs: one safetensors file, or several with an index, named as diffusers names them.
#pragma once
#include "engine/contract/safetensors_header.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace contract {

/// A tensor to be written, and where its values come from.
struct ExportedTensor {
    SafetensorsTensor tensor;  ///< as its source has it
    /// Copies bytes [begin, begin + bytes) of the values; asked for them in order, a portion at a time.
    std::function<void(std::uint64_t begin, void* into, std::uint64_t bytes)> read;
};

/// Elements [first, first + count) of a tensor of any floating-point dtype.
std::vector<float> floatsOf(const ExportedTensor& exported, std::uint64_t first, std::uint64_t count);

struct ExportFormat {
    std::string stem = "diffusion_pytorch_model";  ///< of the names of files
    std::string dtype = {};                        ///< of all numbers with a fraction: "F32", "F16", "BF16"; empty: as stored
    std::uint64_t mostFileBytes = 10'000'000'000;  ///< a larger tensor has a file of its own
    std::string prefix = {};                       ///< before the names of tensors
    SafetensorsMetadata metadata = {{"format", "pt"}};
};

/// Writes STEM.safetensors, or STEM-00001-of-0000N.safetensors and STEM.safetensors.index.json, in the order of @p tensors;
/// each has its name when it is whole and on the disk, and then what @p folder held before of that stem is removed. A few
/// MB are in memory at a time, whatever the tensors' size.
/// @return the files, without the index
/// @throws std::runtime_error naming the file: no room, or what reading throws.
std::vector<std::filesystem::path> writeWeights(
    const std::filesystem::path& folder, const std::vector<ExportedTensor>& tensors, const ExportFormat& format);

}  // namespace contract

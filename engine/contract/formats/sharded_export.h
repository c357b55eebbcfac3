// Writes weights for other programs: one safetensors file, or several with an index, named as diffusers names them.
#pragma once
#include "engine/contract/formats/safetensors_header.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace contract {

/// A tensor to write, with a function that reads its values.
struct ExportedTensor {
    SafetensorsTensor tensor;  ///< name, dtype and shape in the source
    /// Copies bytes [begin, begin + bytes) of the values to `into`. writeWeights() calls it for consecutive ranges in order.
    std::function<void(std::uint64_t begin, void* into, std::uint64_t bytes)> read;
    bool keepsDtype = false;  ///< whether it is written as stored, whatever ExportFormat::dtype says
};

/// Elements [first, first + count) of a tensor of any floating-point dtype, as float32.
std::vector<float> floatsOf(const ExportedTensor& exported, std::uint64_t first, std::uint64_t count);

/// Ends writeWeights() because ExportFormat::isWanted says so.
class ExportCancelled : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct ExportFormat {
    std::string stem = "diffusion_pytorch_model";  ///< beginning of the file names
    std::string dtype = {};                        ///< for floating-point tensors: "F32", "F16" or "BF16"; empty: as stored
    std::uint64_t maxFileBytes = 10'000'000'000;  ///< a larger tensor gets a file to itself
    std::string prefix = {};                       ///< prepended to tensor names
    SafetensorsMetadata metadata = {{"format", "pt"}};
    /// Called on the caller's thread after each few MB with the bytes of values written so far, in all files. May be empty.
    std::function<void(std::uint64_t bytes)> onWritten = {};
    std::function<bool()> isWanted = {};  ///< asked just after; false cancels. May be empty.
};

/// Writes @p tensors in order to STEM.safetensors, or to STEM-00001-of-0000N.safetensors … and STEM.safetensors.index.json.
/// Each file gets its name only when it is complete and on the disk; afterwards older files of that stem in @p folder are
/// removed. Uses a few MB of memory, whatever the size of the tensors.
/// @return the tensor files, without the index
/// @throws std::runtime_error naming the file when it cannot be written (disk full), and whatever ExportedTensor::read throws.
/// @throws ExportCancelled when cancelled; finished files stay, the unfinished one is removed.
std::vector<std::filesystem::path> writeWeights(
    const std::filesystem::path& folder, const std::vector<ExportedTensor>& tensors, const ExportFormat& format);

}  // namespace contract

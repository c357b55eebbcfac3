// A checkpoint's table of contents: checkpoints/step-N/manifest.json.
//
// [Note: checkpoint files]
// Each rank writes rank-N.safetensors: its shards, as one-dimensional tensors. The manifest, written last
// and before the folder gets its final name, maps every tensor to the flat ranges that the files hold, so
// that any number of ranks can load it. A tensor's name begins with what it is: "model/", "ema/", or the name
// of an optimizer's state such as "exp_avg/", before the parameter's own name. A folder with a file PINNED is never rotated.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contract {

inline constexpr int kManifestVersion = 1;
inline constexpr char kManifestFile[] = "manifest.json";
inline constexpr char kPinFile[] = "PINNED";

/// Elements [begin, begin + count) of the flattened tensor lie in @p file from byte @p offset on.
struct TensorPiece {
    std::string file;          ///< relative to the checkpoint's folder, without separators
    std::uint64_t offset = 0;  ///< bytes from the start of the file
    std::uint64_t begin = 0;   ///< elements
    std::uint64_t count = 0;   ///< elements
};

struct TensorEntry {
    std::string name;
    std::string dtype;  ///< safetensors' word: "F32", "BF16"
    std::vector<std::int64_t> shape;
    std::vector<TensorPiece> pieces;  ///< ascending, without gap or overlap

    std::uint64_t elements() const;
    std::uint64_t bytes() const;
};

struct CheckpointManifest {
    std::string run;
    int attempt = 1;
    std::int64_t step = 0;
    std::int64_t unixMs = 0;
    int worldSize = 1;
    std::string model;                      ///< "dit"
    std::map<std::string, std::string> modelOptions;  ///< key → text of the options that shape weights and states
    std::map<std::string, double> metrics;  ///< at that step: loss, validation/loss …
    /// Everything else that training needs to go on, as text: integers by name ("optimizer_steps",
    /// "data_epoch" …) and random states in hexadecimal. What a reader does not know it leaves alone.
    std::map<std::string, std::string> state;
    std::map<std::string, std::uint64_t> fileBytes;  ///< file → its exact size
    std::map<std::string, std::string> checksums;    ///< file → Checksum::text(); without those that have none
    std::vector<TensorEntry> tensors;

    std::uint64_t bytes() const;  ///< of all files
};

/// Reads and checks: every piece lies in a listed file, the pieces of a tensor cover it exactly, and the
/// files have the listed sizes.
/// @throws std::runtime_error in one sentence naming the file and what is wrong.
CheckpointManifest readManifest(const std::filesystem::path& checkpointFolder);

/// Reads every byte of the checkpoint: the checks of readManifest(), then the checksums of the files and of the
/// manifest itself.
/// @throws std::runtime_error in one sentence naming the file and what is wrong.
void verifyCheckpoint(const std::filesystem::path& checkpointFolder);

/// Atomic. @throws std::system_error naming the file.
void writeManifest(const std::filesystem::path& checkpointFolder, const CheckpointManifest& manifest);

}  // namespace contract

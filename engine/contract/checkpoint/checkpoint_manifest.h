// The manifest of a checkpoint, its table of contents: checkpoints/step-N/manifest.json.
//
// [Note: checkpoint files]
// Each rank writes its shards to rank-N.safetensors, as one-dimensional tensors. The manifest maps every tensor to
// flat ranges in these files, so that any number of ranks can load it. It is written last, before the folder gets
// its final name. A tensor's name is its kind ("model", "ema", or an optimizer state such as "exp_avg"), a slash and
// the parameter's name. Rotation never removes a folder that contains a file PINNED.
//
// A checkpoint in the middle of a round of an algorithm also has a file data-N.safetensors of each data rank N, with the round's
// samples ("micro-5/latents": micro-batches are numbered over all ranks). The manifest lists these files, but not their tensors;
// their metadata are the options and whatever else the samples depend on.
//
// The manifest holds its own checksum, a checksum of each file, and one of each block of a file. No manifest is used whose
// checksum is wrong, and no block (see checkpoint_file.h). Checkpoints of version 0.2 lack the blocks, those of 0.1 all of them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

inline constexpr int kManifestVersion = 1;
inline constexpr char kManifestFile[] = "manifest.json";
inline constexpr char kPinFile[] = "PINNED";
inline constexpr std::uint64_t kBlockBytes = std::uint64_t {1} << 18;  ///< of new checkpoints

/// Elements [begin, begin + count) of the flattened tensor are stored in `file` from byte `offset` on.
struct TensorPiece {
    std::string file;          ///< name in the checkpoint's folder, without separators
    std::uint64_t offset = 0;  ///< bytes from the start of the file
    std::uint64_t begin = 0;   ///< elements
    std::uint64_t count = 0;   ///< elements
};

struct TensorEntry {
    std::string name;
    std::string dtype;  ///< safetensors dtype: "F32", "BF16"
    std::vector<std::int64_t> shape;
    std::vector<TensorPiece> pieces;  ///< ascending, without gaps or overlaps

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
    std::map<std::string, std::string> modelOptions;  ///< key → text, of the options that shape weights and states
    std::map<std::string, double> metrics;  ///< at that step: loss, validation/loss …
    /// Everything else that training needs to resume, as text: integers by name ("optimizer_steps",
    /// "data_epoch" …) and random generator states in hexadecimal. Readers ignore unknown entries.
    std::map<std::string, std::string> state;
    std::map<std::string, std::uint64_t> fileBytes;  ///< file → its exact size
    std::map<std::string, std::string> checksums;    ///< file → Checksum::text(); files without a checksum are missing
    std::uint64_t blockBytes = kBlockBytes;
    std::map<std::string, std::vector<std::uint64_t>> blocks;  ///< file → checksums of its blocks, see BlockChecksums
    std::vector<TensorEntry> tensors;

    std::uint64_t bytes() const;  ///< sum over all files
};

/// Whether @p kind, the part of a tensor's name before its first slash ("model", "ema", "exp_avg" …), denotes weights
/// rather than optimizer state.
bool isWeightsKind(std::string_view kind);

/// Reads and checks a manifest: its checksum is right, every piece is within a listed file, the pieces of a tensor cover
/// it exactly, and the files have the listed sizes. The content of the files is not read, but no damage was found in it before
/// (damage_mark.h).
/// @throws std::runtime_error in one sentence naming the file and what is wrong.
CheckpointManifest readManifest(const std::filesystem::path& checkpointFolder);

/// Performs the checks of readManifest(), then verifies the checksums of the files. Reads every byte of the checkpoint, and marks it as
/// damaged, or as not damaged any more, by what it finds.
/// @param isWanted asked after each MB; once it says no, verifyCheckpoint() returns and has found nothing
/// @throws std::runtime_error in one sentence naming the file and what is wrong.
void verifyCheckpoint(const std::filesystem::path& checkpointFolder, const std::function<bool()>& isWanted = {});

/// Writes the manifest atomically. @throws std::system_error naming the file.
void writeManifest(const std::filesystem::path& checkpointFolder, const CheckpointManifest& manifest);

}  // namespace contract

// One rank's file of a checkpoint: a safetensors file whose tensors are pieces of the shards.
// See [Note: checkpoint files].
#pragma once
#include "engine/contract/checkpoint_manifest.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

enum class Contents {
    All,     ///< all that training needs to go on
    Weights  ///< the weights and their average: the optimizer would begin anew
};

/// Whether a kind of state ("model", "ema", "exp_avg" …) is part of Contents::Weights.
bool isOfWeights(const std::string& kind);

/// One contiguous range of a tensor, and where it lies in the file.
struct StoredPiece {
    std::string name;                 ///< of the whole tensor: "exp_avg/blocks.3.qkv.weight"
    std::vector<std::int64_t> shape;  ///< of the whole tensor
    at::Tensor values;                ///< where this rank holds its own range of that state
    LayoutPiece piece;                ///< in elements of the state
    std::uint64_t offset = 0;         ///< bytes from the start of the file

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(piece.count) * values.element_size(); }
};

/// The ranges of one state of the shard of @p rank, without offsets. Every rank can work them out for any other.
/// @param rank in the shard group
std::vector<StoredPiece> storedPieces(const Unit& unit, const ShardState& state, int rank);

/// safetensors' word for a dtype: "F32", "BF16", "U8". @throws std::logic_error for one that no state has.
std::string dtypeName(at::ScalarType dtype);

/// What the rank at a place of the shard group writes. Every rank can work it out for any other; it does not change
/// while the model and its optimizer live.
struct RankFile {
    std::string name;    ///< "rank-3.safetensors"
    std::string header;  ///< length word and JSON
    std::vector<StoredPiece> pieces;  ///< ascending and without gaps from the end of the header on
    std::uint64_t bytes = 0;
};
std::string rankFileName(int rank);
RankFile planRankFile(UnitSequence& units, Contents contents, int rank);

/// The table of contents of the files of all @p ranks of a shard group: files with their sizes, and tensors.
void fillTable(contract::CheckpointManifest& manifest, UnitSequence& units, Contents contents, int ranks);

/// Host memory for what follows the header, to be reused: touched once, so that no later copy waits for the system to
/// give it. Pinned where the shards lie on a GPU. Any thread.
at::Tensor makeStaging(UnitSequence& units, const RankFile& file);  ///< [bytes] uint8

/// Copies this rank's own shards as they are now.
void stage(const RankFile& file, const at::Tensor& staging);

/// Writes the file to the disk, name and all. @return its checksum. @throws std::system_error naming it.
std::string writeRankFile(const RankFile& file, const at::Tensor& staging, const std::filesystem::path& folder);

}  // namespace engine

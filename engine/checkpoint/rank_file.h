// One rank's file of a checkpoint: a safetensors file whose tensors are pieces of that rank's shards.
// See [Note: checkpoint files].
#pragma once
#include "engine/checkpoint/checksummed_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

enum class Contents {
    All,     ///< everything that is needed to continue training
    Weights  ///< only the weights and their EMA; the optimizer then starts from scratch
};

/// One contiguous range of a tensor, and its position in the file.
struct StoredPiece {
    std::string name;                 ///< name of the whole tensor: "exp_avg/blocks.3.qkv.weight"
    std::vector<std::int64_t> shape;  ///< shape of the whole tensor
    at::ScalarType dtype {};
    LayoutPiece piece;                ///< the range, in elements of the state, and its place in the rank's shard
    std::uint64_t offset = 0;         ///< in bytes from the start of the file

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(piece.count) * c10::elementSize(dtype); }
};

/// Returns the ranges that the shard of @p rank holds of one state; their offsets are not set. Any rank can compute them for
/// any other rank.
/// @param rank rank in the shard group
std::vector<StoredPiece> storedPieces(const Unit& unit, const ShardState& state, int rank);

/// Returns the safetensors name of a dtype: "F32", "BF16" or "U8". @throws std::logic_error for other dtypes.
std::string dtypeName(at::ScalarType dtype);

/// The layout of the file that one rank of the shard group writes. Any rank can compute it for any other rank. It stays the
/// same while the model and its optimizer exist, and holds no tensors: an offload replaces those.
struct RankFile {
    std::string name;    ///< "rank-3.safetensors"
    std::string header;  ///< the 8-byte length and the JSON
    std::vector<StoredPiece> pieces;  ///< in file order, without gaps, starting right after the header
    std::uint64_t bytes = 0;
};
std::string rankFileName(int rank);
RankFile planRankFile(UnitSequence& units, Contents contents, int rank);

/// Fills in the manifest's table of contents for the files of all @p ranks ranks of a shard group: file sizes and tensors.
void fillTable(contract::CheckpointManifest& manifest, UnitSequence& units, Contents contents, int ranks);

/// Allocates reusable host memory for the file's data after the header. The memory is pinned when the units' device is a GPU;
/// otherwise every page is touched once, so that later copies cause no page faults. May be called from any thread.
at::Tensor makeStaging(UnitSequence& units, const RankFile& file);  ///< [bytes] uint8

/// Copies the current values of this rank's shards into @p staging, wherever they are.
/// @param file of this rank, planned for the same @p contents
void copyToStaging(UnitSequence& units, Contents contents, const RankFile& file, const at::Tensor& staging);

/// Writes the file and syncs it and @p folder to disk. @throws std::system_error naming the file.
FileChecksums writeRankFile(const RankFile& file, const at::Tensor& staging, const std::filesystem::path& folder);

}  // namespace engine

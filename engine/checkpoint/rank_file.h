// One rank's file of a checkpoint: a safetensors file whose tensors are pieces of the shards.
// See [Note: checkpoint files].
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// One contiguous range of a tensor, and where it lies in the file.
struct StoredPiece {
    std::string name;                 ///< of the whole tensor: "exp_avg/blocks.3.qkv.weight"
    std::vector<std::int64_t> shape;  ///< of the whole tensor
    at::Tensor values;                ///< where this rank holds its own range of that state
    LayoutPiece piece;                ///< in elements of the state
    std::uint64_t offset = 0;         ///< bytes from the start of the file

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(piece.count) * values.element_size(); }
};

/// The ranges of @p rank's shard of a unit, without offsets. Every rank can work them out for any other.
std::vector<StoredPiece> storedPieces(const Unit& unit, int rank);

/// safetensors' word for a dtype: "F32", "BF16", "U8". @throws std::logic_error for one that no state has.
std::string dtypeName(at::ScalarType dtype);

/// What rank @p rank writes.
struct RankFile {
    std::string name;    ///< "rank-3.safetensors"
    std::string header;  ///< length word and JSON
    std::vector<StoredPiece> pieces;
    std::uint64_t bytes = 0;
};
RankFile planRankFile(UnitSequence& units, int rank);

/// Writes and syncs this rank's own file. @throws std::system_error naming it.
void writeRankFile(const RankFile& file, const std::filesystem::path& folder);

}  // namespace engine

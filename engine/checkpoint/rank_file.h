// One rank's file of a checkpoint: a safetensors file whose tensors are pieces of the shards.
// See [Note: checkpoint files].
#pragma once
#include "engine/shard/unit_sequence.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// The float32 shards of a unit that a checkpoint holds, with the word that begins their tensors' names; those
/// that are not defined are left out.
struct StoredKind {
    const char* prefix;
    at::Tensor Unit::* shard;
};
inline constexpr std::array<StoredKind, 4> kStoredKinds = {{{"model/", &Unit::master},
    {"ema/", &Unit::ema}, {"exp_avg/", &Unit::expAvg}, {"exp_avg_sq/", &Unit::expAvgSq}}};

/// One contiguous range of a shard, and where it lies in the file.
struct StoredPiece {
    std::size_t unit = 0;
    std::size_t kind = 0;       ///< into kStoredKinds
    LayoutPiece piece;
    std::uint64_t offset = 0;   ///< bytes from the start of the file
};

/// What rank @p rank writes. Every rank can work it out for any other.
struct RankFile {
    std::string name;    ///< "rank-3.safetensors"
    std::string header;  ///< length word and JSON
    std::vector<StoredPiece> pieces;
    std::uint64_t bytes = 0;
};
RankFile planRankFile(UnitSequence& units, int rank);

/// Writes and syncs this rank's file. @throws std::system_error naming it.
void writeRankFile(UnitSequence& units, const RankFile& file, const std::filesystem::path& folder);

}  // namespace engine

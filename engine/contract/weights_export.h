// The weights of a checkpoint as one safetensors file, for programs that know nothing of shards.
#pragma once
#include <filesystem>

namespace contract {

enum class ExportedWeights {
    Model,   ///< as trained
    Average  ///< their moving average ("ema")
};

enum class ExportedDtype {
    AsStored,
    BFloat16  ///< float32 rounded to nearest, ties to even; whatever else as stored
};

/// Writes every tensor whole, under its parameter's own name, into @p file, which gets its name when it is complete and
/// on the disk. Reads the files' ranges one after another: no more than a few MB are ever in memory.
/// @throws std::runtime_error in one sentence naming the file and what is wrong: no checkpoint, none of those weights in
///         it, damage, or no room.
void exportWeights(const std::filesystem::path& checkpointFolder, const std::filesystem::path& file,
    ExportedWeights weights, ExportedDtype dtype);

}  // namespace contract

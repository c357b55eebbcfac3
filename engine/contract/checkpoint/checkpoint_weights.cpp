#include "engine/contract/checkpoint/checkpoint_weights.h"

#include <algorithm>
#include <stdexcept>

namespace contract {

CheckpointWeights::CheckpointWeights(const std::filesystem::path& folder, ExportedWeights weights)
    : m_folder(folder)
    , m_manifest(readManifest(folder))
{
    const std::string prefix = weights == ExportedWeights::Model ? "model/" : "ema/";
    for (const TensorEntry& entry : m_manifest.tensors) {
        if (entry.name.starts_with(prefix))
            m_tensors.push_back({{entry.name.substr(prefix.size()), entry.dtype, entry.shape},
                [this, &entry](std::uint64_t begin, void* into, std::uint64_t bytes) { read(entry, begin, into, bytes); }});
    }
    if (m_tensors.empty())
        throw std::runtime_error(folder.string() + ": holds no "
            + (weights == ExportedWeights::Model ? "weights" : "moving average of the weights; export the weights themselves"));
}

void CheckpointWeights::read(const TensorEntry& entry, std::uint64_t begin, void* into, std::uint64_t bytes)
{
    const std::uint64_t width = dtypeBytes(entry.dtype);
    for (const TensorPiece& piece : entry.pieces) {
        const std::uint64_t from = std::max(begin, piece.begin * width);
        const std::uint64_t to = std::min(begin + bytes, (piece.begin + piece.count) * width);
        if (from >= to)
            continue;
        CheckpointFile& file = m_files.try_emplace(piece.file, m_folder, m_manifest, piece.file).first->second;
        file.read(static_cast<char*>(into) + (from - begin), to - from, piece.offset + (from - piece.begin * width));
    }
}

}  // namespace contract

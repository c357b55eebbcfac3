#include "engine/checkpoint/rank_file.h"

#include "engine/checkpoint/streamed_copy.h"
#include "engine/contract/formats/safetensors_header.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace engine {
namespace {

using contract::TensorEntry;
using contract::TensorPiece;

/// Calls body(unit, state) for everything that a checkpoint with @p contents holds, in file order.
template <typename Body>
void forEachStored(UnitSequence& units, Contents contents, Body body)
{
    for (const Unit* unit : units.parts()) {
        for (const ShardState& state : unit->storedStates()) {
            if (contents == Contents::All || contract::isWeightsKind(state.name))
                body(*unit, state);
        }
    }
}

/// Copies with all threads of this rank.
void copyInParallel(void* to, const void* from, std::uint64_t bytes)
{
    constexpr std::int64_t kGrain = std::int64_t {1} << 20;
    at::parallel_for(0, static_cast<std::int64_t>(bytes), kGrain, [&](std::int64_t begin, std::int64_t end) {
        streamedCopy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
            static_cast<std::size_t>(end - begin));
    });
}

}  // namespace

std::string dtypeName(at::ScalarType dtype)
{
    switch (dtype) {
    case at::kFloat:
        return "F32";
    case at::kBFloat16:
        return "BF16";
    case at::kByte:
        return "U8";
    default:
        throw std::logic_error(std::string("no state is stored as ") + c10::toString(dtype));
    }
}

std::vector<StoredPiece> storedPieces(const Unit& unit, const ShardState& state, int rank)
{
    std::vector<StoredPiece> result;
    for (const LayoutPiece& piece : statePieces(state, unit.layout().pieces(unit.layoutTensors(), rank))) {
        const ParameterSpec& parameter = unit.spec().parameters[piece.tensor];
        const std::int64_t elements = unit.layoutTensors()[piece.tensor].elements;
        auto shape = parameter.shape;
        if (state.blockSize > 1)
            shape = {(elements + state.blockSize - 1) / state.blockSize};
        result.push_back({state.name + "/" + parameter.name, std::move(shape), state.values.scalar_type(), piece});
    }
    return result;
}

std::string rankFileName(int rank) { return "rank-" + std::to_string(rank) + ".safetensors"; }

RankFile planRankFile(UnitSequence& units, Contents contents, int rank)
{
    RankFile file;
    file.name = rankFileName(rank);
    std::vector<contract::SafetensorsTensor> tensors;
    std::uint64_t data = 0;
    const auto add = [&](StoredPiece stored) {
        tensors.push_back({stored.name + "@" + std::to_string(stored.piece.tensorBegin),
            dtypeName(stored.dtype), {stored.piece.count}});
        stored.offset = data;
        data += stored.bytes();
        file.pieces.push_back(std::move(stored));
    };
    forEachStored(units, contents, [&](const Unit& unit, const ShardState& state) {
        std::ranges::for_each(storedPieces(unit, state, rank), add);
    });
    file.header = contract::safetensorsHeader(tensors, {{"format", "atelier-shard"}});
    for (StoredPiece& piece : file.pieces)
        piece.offset += file.header.size();
    file.bytes = file.header.size() + data;
    return file;
}

void fillTable(contract::CheckpointManifest& manifest, UnitSequence& units, Contents contents, int ranks)
{
    std::map<std::string, TensorEntry> entries;
    for (int rank = 0; rank < ranks; ++rank) {
        const RankFile file = planRankFile(units, contents, rank);
        manifest.fileBytes[file.name] = file.bytes;
        for (const StoredPiece& stored : file.pieces) {
            TensorEntry& entry = entries[stored.name];
            entry.dtype = dtypeName(stored.dtype);
            entry.shape = stored.shape;
            entry.pieces.push_back({file.name, stored.offset, static_cast<std::uint64_t>(stored.piece.tensorBegin),
                static_cast<std::uint64_t>(stored.piece.count)});
        }
    }
    for (auto& [name, entry] : entries) {
        entry.name = name;
        std::ranges::sort(entry.pieces, {}, &TensorPiece::begin);
        manifest.tensors.push_back(std::move(entry));
    }
}

at::Tensor makeStaging(UnitSequence& units, const RankFile& file)
{
    const bool isOnGpu = units.arena().device().is_cuda();
    const auto bytes = static_cast<std::size_t>(file.bytes - file.header.size());
    at::Tensor staging = at::empty({static_cast<std::int64_t>(bytes)},
        at::TensorOptions().dtype(at::kByte).pinned_memory(isOnGpu));
    constexpr std::size_t kPage = 4096;
    auto* const memory = staging.data_ptr<std::uint8_t>();
    for (std::size_t at = 0; at < bytes && !isOnGpu; at += kPage)
        memory[at] = 0;
    return staging;
}

void copyToStaging(UnitSequence& units, Contents contents, const RankFile& file, const at::Tensor& staging)
{
    auto* const to = staging.data_ptr<std::uint8_t>();
    auto stored = file.pieces.begin();
    forEachStored(units, contents, [&](const Unit& unit, const ShardState& state) {
        for (const LayoutPiece& piece : statePieces(state, unit.pieces())) {
            const at::Tensor from = state.values.narrow(0, piece.shardBegin, piece.count);
            auto* const target = to + (stored->offset - file.header.size());
            if (from.is_cpu())
                copyInParallel(target, from.const_data_ptr(), stored->bytes());
            else
                at::from_blob(target, from.sizes(), at::TensorOptions().dtype(from.scalar_type())).copy_(from);
            ++stored;
        }
    });
}

FileChecksums writeRankFile(const RankFile& file, const at::Tensor& staging, const std::filesystem::path& folder)
{
    ChecksummedFile output(folder / file.name, file.bytes);
    output.write(file.header.data(), file.header.size());
    output.write(staging.const_data_ptr(), static_cast<std::size_t>(staging.numel()));
    return output.finish();
}

}  // namespace engine

#include "engine/checkpoint/checkpoint_loader.h"

#include "engine/checkpoint/divided_reading.h"
#include "engine/comm/errors.h"
#include "engine/contract/checkpoint_lock.h"
#include "engine/contract/input_file.h"
#include "engine/contract/safetensors_header.h"
#include "engine/model/adapter_state.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace engine {
namespace {

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using contract::TensorEntry;
using contract::TensorPiece;

class TensorReader {
public:
    TensorReader(const fs::path& folder, const CheckpointManifest& manifest, const LoadReport& report)
        : m_folder(folder)
    {
        for (const TensorEntry& entry : manifest.tensors) {
            if (!report.mismatched.contains(entry.name))
                m_entries.emplace(entry.name, &entry);
        }
    }

    /// Fills elements [begin, begin + count) of a tensor, where the checkpoint has it, into @p out.
    void read(const std::string& name, std::uint64_t begin, std::uint64_t count, std::byte* out)
    {
        const auto found = m_entries.find(name);
        if (found == m_entries.end())
            return;
        const TensorEntry& entry = *found->second;
        const std::uint64_t width = contract::dtypeBytes(entry.dtype);
        // The first piece that ends after begin; pieces ascend without gaps.
        auto piece = std::ranges::upper_bound(entry.pieces, begin, {}, &TensorPiece::begin);
        piece = piece == entry.pieces.begin() ? piece : piece - 1;
        for (; piece != entry.pieces.end() && piece->begin < begin + count; ++piece) {
            const std::uint64_t from = std::max(begin, piece->begin);
            const std::uint64_t to = std::min(begin + count, piece->begin + piece->count);
            if (from < to)
                file(piece->file).read(out + (from - begin) * width, (to - from) * width,
                    piece->offset + (from - piece->begin) * width);
        }
    }

private:
    const contract::InputFile& file(const std::string& name)
    {
        return m_files.try_emplace(name, m_folder / name).first->second;
    }

    fs::path m_folder;
    std::map<std::string, const TensorEntry*> m_entries;
    std::map<std::string, contract::InputFile> m_files;
};

/// Fills elements [begin, begin + into's) of a shard's state; what the checkpoint lacks stays as it is.
void readRange(TensorReader& reader, const std::vector<StoredPiece>& pieces, std::int64_t begin, at::Tensor into)
{
    const at::Tensor host = into.cpu();  // the same tensor where it is on the CPU
    const std::int64_t end = begin + host.numel();
    const auto width = static_cast<std::int64_t>(host.element_size());
    auto* const out = static_cast<std::byte*>(host.data_ptr());
    for (const StoredPiece& stored : pieces) {
        const LayoutPiece& piece = stored.piece;
        const std::int64_t from = std::max(begin, piece.shardBegin);
        const std::int64_t to = std::min(end, piece.shardBegin + piece.count);
        if (from < to)
            reader.read(stored.name, static_cast<std::uint64_t>(piece.tensorBegin + (from - piece.shardBegin)),
                static_cast<std::uint64_t>(to - from), out + (from - begin) * width);
    }
    if (!into.is_cpu())
        into.copy_(host);
}

void loadState(TensorReader& reader, const Unit& unit, Group& replicas, c10::Device device, const ShardState& state)
{
    const auto pieces = storedPieces(unit, state, unit.rank());
    readDivided(state.values, replicas, device, [&](std::int64_t begin, const at::Tensor& into) { readRange(reader, pieces, begin, into); });
}

/// An adapter that follows another need not be there: moves its names from the missing ones to absentAdapters.
void allowAbsentAdapters(LoadReport& report, UnitSequence& units)
{
    std::map<std::string, std::set<std::string>> followers;
    for (const Unit* unit : units.parts()) {
        for (const ParameterSpec& parameter : unit->spec().parameters) {
            if (!parameter.adapter.empty() && !parameter.isTrained)
                followers[parameter.adapter].insert("model/" + parameter.name);
        }
    }
    for (const auto& [adapter, names] : followers) {
        if (!std::ranges::includes(report.missing, names))
            continue;
        report.absentAdapters.insert(adapter);
        for (const std::string& name : names)
            report.missing.erase(name);
    }
}

/// The one that trains.
std::string trainedAdapter(UnitSequence& units)
{
    const auto& parts = units.parts();
    const auto found = std::ranges::find_if(parts, [](const Unit* unit) { return unit->isTrained(); });
    return found == parts.end() ? std::string() : (*found)->spec().parameters.front().adapter;
}

void checkModel(const CheckpointManifest& manifest, const std::map<std::string, std::string>& options)
{
    for (const auto& [key, value] : options) {
        const auto saved = manifest.modelOptions.find(key);
        if (saved != manifest.modelOptions.end() && saved->second != value)
            throw std::runtime_error("was made with " + key + " = " + saved->second
                + ", but the experiment has " + value);
    }
}

}  // namespace

LoadedCheckpoint loadCheckpoint(const fs::path& folder, UnitSequence& units, Mesh& mesh,
    const std::map<std::string, std::string>& shapeOptions, const LoadOptions& options)
{
    const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Read);
    try {
        LoadedCheckpoint loaded {contract::readManifest(folder), {}};
        if (options.isStrict)
            checkModel(loaded.manifest, shapeOptions);
        CheckpointManifest wanted;
        fillTable(wanted, units, options.contents, mesh.shard().size());
        loaded.report = compareNames(loaded.manifest, wanted);
        allowAbsentAdapters(loaded.report, units);
        if (options.isStrict && !loaded.report.isWhole())
            throw std::runtime_error(loaded.report.sentence());
        TensorReader reader(folder, loaded.manifest, loaded.report);
        for (Unit* unit : units.parts()) {
            for (const ShardState& state : unit->storedStates()) {
                if (options.contents == Contents::Weights && !isOfWeights(state.name))
                    continue;
                if (state.name == "ema")
                    unit->ema.copy_(unit->master);  // which was loaded before it; it stays so where there is none
                if (!loaded.report.absentKinds.contains(state.name))
                    loadState(reader, *unit, mesh.replicate(), units.arena().device(), state);
            }
            unit->masterReplaced();
        }
        for (const std::string& adapter : loaded.report.absentAdapters)
            copyAdapter(units, trainedAdapter(units), adapter);
        return loaded;
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        throw EngineError(EngineError::Kind::BadCheckpoint,
            "checkpoint " + folder.string() + ": " + firstLine(error) + "; resume from another one");
    }
}

}  // namespace engine

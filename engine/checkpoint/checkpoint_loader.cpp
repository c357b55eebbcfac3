#include "engine/checkpoint/checkpoint_loader.h"

#include "engine/checkpoint/background_thread.h"
#include "engine/comm/errors.h"
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/lora/adapter_state.h"
#include "engine/weights/divided_reading.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using contract::TensorEntry;
using contract::TensorPiece;

/// Compares what it has read with the checksums on a thread of its own.
class TensorReader {
public:
    /// @param manifest must outlive this object
    TensorReader(const fs::path& folder, const CheckpointManifest& manifest, const LoadReport& report)
        : m_folder(folder)
        , m_manifest(manifest)
    {
        for (const TensorEntry& entry : manifest.tensors) {
            if (!report.mismatched.contains(entry.name))
                m_entries.emplace(entry.name, &entry);
        }
    }

    /// Reads elements [begin, begin + count) of a tensor into @p out. No-op when the checkpoint does not have the tensor. What was
    /// read must stay as it is until awaitComparisons().
    void read(const std::string& name, std::uint64_t begin, std::uint64_t count, std::byte* out)
    {
        const auto found = m_entries.find(name);
        if (found == m_entries.end())
            return;
        const TensorEntry& entry = *found->second;
        const std::uint64_t width = contract::dtypeBytes(entry.dtype);
        // Find the first piece that ends after begin; pieces are ascending and without gaps.
        auto piece = std::ranges::upper_bound(entry.pieces, begin, {}, &TensorPiece::begin);
        piece = piece == entry.pieces.begin() ? piece : piece - 1;
        for (; piece != entry.pieces.end() && piece->begin < begin + count; ++piece) {
            const std::uint64_t from = std::max(begin, piece->begin);
            const std::uint64_t to = std::min(begin + count, piece->begin + piece->count);
            if (from < to)
                file(piece->file).read(out + (from - begin) * width, (to - from) * width,
                    piece->offset + (from - piece->begin) * width, [this](auto comparison) { makeLater(std::move(comparison)); });
        }
    }

    void awaitComparisons() { m_thread.awaitIdle(); }

    /// @throws std::runtime_error naming the file and the place of the first damage in what was read.
    void requireUndamaged()
    {
        awaitComparisons();
        if (m_damage)
            std::rethrow_exception(m_damage);
    }

private:
    void makeLater(std::function<void()> comparison)
    {
        m_thread.run([this, comparison = std::move(comparison)] {
            try {
                if (!m_damage)
                    comparison();
            } catch (...) {
                m_damage = std::current_exception();
            }
        });
    }

    contract::CheckpointFile& file(const std::string& name) { return m_files.try_emplace(name, m_folder, m_manifest, name).first->second; }

    fs::path m_folder;
    const CheckpointManifest& m_manifest;
    std::map<std::string, const TensorEntry*> m_entries;
    std::map<std::string, contract::CheckpointFile> m_files;
    std::exception_ptr m_damage;  ///< set by the thread
    BackgroundThread m_thread;    ///< declared last, because its jobs use the other members
};

/// Keeps memory that was read into from being freed before it was compared.
class MemoryInUse {
public:
    explicit MemoryInUse(TensorReader& reader)
        : m_reader(reader)
    {
    }
    ~MemoryInUse() { m_reader.awaitComparisons(); }
    MemoryInUse(const MemoryInUse&) = delete;
    MemoryInUse& operator=(const MemoryInUse&) = delete;

private:
    TensorReader& m_reader;
};

/// Reads elements of a shard's state from @p begin on into @p into. Elements that the checkpoint lacks keep their values.
/// @param isShard whether @p into is the shard's own memory, which outlives the reader
void readRange(TensorReader& reader, const std::vector<StoredPiece>& pieces, std::int64_t begin, at::Tensor into, bool isShard)
{
    const at::Tensor host = into.cpu();  // no copy if it is already on the CPU
    std::optional<MemoryInUse> inUse;
    if (!isShard || !into.is_cpu())
        inUse.emplace(reader);
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
    readDivided(state.values, replicas, device,
        [&](std::int64_t begin, const at::Tensor& into) { readRange(reader, pieces, begin, into, replicas.size() == 1); });
}

/// The checkpoint may lack a frozen adapter, which can be copied from the trained one: moves the names of such adapters from
/// the report's missing tensors to absentAdapters.
void allowAbsentAdapters(LoadReport& report, UnitSequence& units)
{
    std::map<std::string, std::set<std::string>> frozenAdapters;
    for (const Unit* unit : units.parts()) {
        for (const ParameterSpec& parameter : unit->spec().parameters) {
            if (!parameter.adapter.empty() && !parameter.isTrained)
                frozenAdapters[parameter.adapter].insert("model/" + parameter.name);
        }
    }
    for (const auto& [adapter, names] : frozenAdapters) {
        if (!std::ranges::includes(report.missing, names))
            continue;
        report.absentAdapters.insert(adapter);
        for (const std::string& name : names)
            report.missing.erase(name);
    }
}

/// Returns the name of the adapter that is trained; empty when nothing is trained.
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
        CheckpointManifest expected;
        fillTable(expected, units, options.contents, mesh.shard().size());
        loaded.report = compareNames(loaded.manifest, expected);
        allowAbsentAdapters(loaded.report, units);
        if (options.isStrict && !loaded.report.isExactMatch())
            throw std::runtime_error(loaded.report.sentence());
        TensorReader reader(folder, loaded.manifest, loaded.report);
        for (Unit* unit : units.parts()) {
            for (const ShardState& state : unit->storedStates()) {
                if (options.contents == Contents::Weights && !contract::isWeightsKind(state.name))
                    continue;
                if (!loaded.report.absentKinds.contains(state.name))
                    loadState(reader, *unit, mesh.replicate(), units.arena().device(), state);
                if (state.name == "model")  // the first; copies that the checkpoint does not have stay like this
                    unit->startCopies();
            }
            unit->masterReplaced();
        }
        reader.requireUndamaged();
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

#include "engine/checkpoint/checkpoint.h"

#include "engine/checkpoint/rank_file.h"
#include "engine/comm/errors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace engine {
namespace {

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using contract::TensorEntry;
using contract::TensorPiece;

constexpr char kUnfinishedPrefix[] = ".unfinished-";
constexpr char kAveragePrefix[] = "ema/";

void fillTensors(CheckpointManifest& manifest, UnitSequence& units)
{
    std::map<std::string, TensorEntry> entries;
    for (int rank = 0; rank < manifest.worldSize; ++rank) {
        const RankFile file = planRankFile(units, rank);
        manifest.fileBytes[file.name] = file.bytes;
        for (const StoredPiece& stored : file.pieces) {
            TensorEntry& entry = entries[stored.name];
            entry.dtype = dtypeName(stored.values.scalar_type());
            entry.shape = stored.shape;
            entry.pieces.push_back({file.name, stored.offset,
                static_cast<std::uint64_t>(stored.piece.tensorBegin),
                static_cast<std::uint64_t>(stored.piece.count)});
        }
    }
    for (auto& [name, entry] : entries) {
        entry.name = name;
        std::ranges::sort(entry.pieces, {}, &TensorPiece::begin);
        manifest.tensors.push_back(std::move(entry));
    }
}

/// Gives the finished folder its name; one of the same step, from an attempt that was resumed before it, goes.
void publish(const fs::path& unfinished, const fs::path& final)
{
    fs::remove_all(final);
    fs::rename(unfinished, final);
    const int descriptor = ::open(final.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        ::fsync(descriptor);
        ::close(descriptor);
    }
}

/// Empty when every rank says so; else one rank's reason, told by that rank alone.
void agree(Group& group, const std::string& problem, const std::string& what)
{
    const at::Tensor failures = at::full({1}, problem.empty() ? 0.0 : 1.0, at::kDouble);
    group.allReduceSum(failures, what);
    if (!problem.empty())
        throw EngineError(EngineError::Kind::Failure, "checkpoint not written: " + problem);
    if (failures.item<double>() > 0)
        throw EngineError(EngineError::Kind::Failure,
            "checkpoint not written: another rank could not write its part");
}

template <typename Action>
std::string problemOf(Action action)
{
    try {
        action();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// Reads a file's ranges; short reads are errors.
class InputFile {
public:
    explicit InputFile(const fs::path& path)
        : m_path(path)
        , m_descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (m_descriptor < 0)
            throw std::system_error(errno, std::generic_category(), path.string());
    }
    ~InputFile() { ::close(m_descriptor); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    void read(char* into, std::uint64_t bytes, std::uint64_t offset) const
    {
        while (bytes > 0) {
            const ssize_t count = ::pread(m_descriptor, into, bytes, static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                throw std::system_error(errno, std::generic_category(), m_path.string());
            if (count == 0)
                throw std::runtime_error(m_path.string() + " ends early");
            into += count;
            offset += static_cast<std::uint64_t>(count);
            bytes -= static_cast<std::uint64_t>(count);
        }
    }

private:
    fs::path m_path;
    int m_descriptor;
};

class Loader {
public:
    Loader(const fs::path& folder, const CheckpointManifest& manifest)
        : m_folder(folder)
    {
        for (const TensorEntry& entry : manifest.tensors)
            m_entries.emplace(entry.name, &entry);
    }

    bool hasAny(const std::string& prefix) const
    {
        const auto first = m_entries.lower_bound(prefix);
        return first != m_entries.end() && first->first.starts_with(prefix);
    }

    /// Fills a piece of the tensor @p name into host memory.
    void read(const std::string& name, const StoredPiece& stored, char* out)
    {
        const auto found = m_entries.find(name);
        if (found == m_entries.end())
            throw std::runtime_error("lacks the tensor " + name);
        const TensorEntry& entry = *found->second;
        if (entry.shape != stored.shape || entry.dtype != dtypeName(stored.values.scalar_type()))
            throw std::runtime_error("holds " + name + " in another shape or dtype");
        const std::uint64_t elementSize = stored.values.element_size();
        const auto begin = static_cast<std::uint64_t>(stored.piece.tensorBegin);
        const std::uint64_t end = begin + static_cast<std::uint64_t>(stored.piece.count);
        for (const TensorPiece& piece : entry.pieces) {
            const std::uint64_t from = std::max(begin, piece.begin);
            const std::uint64_t to = std::min(end, piece.begin + piece.count);
            if (from >= to)
                continue;
            file(piece.file).read(out + (from - begin) * elementSize, (to - from) * elementSize,
                piece.offset + (from - piece.begin) * elementSize);
        }
    }

private:
    const InputFile& file(const std::string& name)
    {
        return m_files.try_emplace(name, m_folder / name).first->second;
    }

    fs::path m_folder;
    std::map<std::string, const TensorEntry*> m_entries;
    std::map<std::string, InputFile> m_files;
};

void loadPiece(Loader& loader, const StoredPiece& stored)
{
    std::string name = stored.name;
    if (name.starts_with(kAveragePrefix) && !loader.hasAny(kAveragePrefix))  // then it starts from the weights
        name = "model/" + name.substr(std::size(kAveragePrefix) - 1);
    at::Tensor target = stored.values.narrow(0, stored.piece.shardBegin, stored.piece.count);
    const at::Tensor host = target.cpu();
    loader.read(name, stored, static_cast<char*>(host.data_ptr()));
    if (!target.is_cpu())
        target.copy_(host);
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

std::uint64_t saveCheckpoint(const contract::RunFolder& run, UnitSequence& units, Mesh& mesh,
    CheckpointManifest manifest)
{
    Group& group = mesh.world();
    const fs::path unfinished
        = run.checkpoints() / (kUnfinishedPrefix + std::to_string(manifest.step));
    std::string problem;
    if (group.rank() == 0)
        problem = problemOf([&] {
            fs::remove_all(unfinished);
            fs::create_directories(unfinished);
        });
    agree(group, problem, "checkpoint folder");

    if (mesh.replicate().rank() == 0)
        problem = problemOf([&] { writeRankFile(planRankFile(units, mesh.shard().rank()), unfinished); });
    try {
        agree(group, problem, "checkpoint files");
    } catch (const EngineError& error) {
        if (error.kind() == EngineError::Kind::Failure && group.rank() == 0)
            problemOf([&] { fs::remove_all(unfinished); });
        throw;
    }

    if (group.rank() == 0)
        problem = problemOf([&] {
            fillTensors(manifest, units);
            contract::writeManifest(unfinished, manifest);
            publish(unfinished, run.checkpoint(manifest.step));
        });
    agree(group, problem, "checkpoint manifest");
    return manifest.bytes();
}

CheckpointManifest loadCheckpoint(const fs::path& folder, UnitSequence& units, Mesh& mesh,
    const std::map<std::string, std::string>& shapeOptions)
{
    try {
        CheckpointManifest manifest = contract::readManifest(folder);
        checkModel(manifest, shapeOptions);
        Loader loader(folder, manifest);
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            for (const StoredPiece& stored : storedPieces(units[unit], mesh.shard().rank()))
                loadPiece(loader, stored);
        }
        return manifest;
    } catch (const std::exception& error) {
        throw EngineError(EngineError::Kind::BadCheckpoint,
            "checkpoint " + folder.string() + ": " + firstLine(error)
                + "; resume from another one");
    }
}

void rotateCheckpoints(const contract::RunFolder& run, std::int64_t keep)
{
    std::vector<std::int64_t> steps;
    for (const std::int64_t step : run.checkpointSteps()) {
        if (!fs::exists(run.checkpoint(step) / contract::kPinFile))
            steps.push_back(step);
    }
    const auto excess = static_cast<std::int64_t>(steps.size()) - std::max<std::int64_t>(keep, 1);
    for (std::int64_t i = 0; i < excess; ++i) {
        const fs::path folder = run.checkpoint(steps[static_cast<std::size_t>(i)]);
        const fs::path doomed
            = run.checkpoints() / (kUnfinishedPrefix + folder.filename().string());
        std::error_code error;
        fs::rename(folder, doomed, error);  // gone at once for readers, whatever happens to the rest
        fs::remove_all(doomed, error);
    }
}

void removeUnfinishedCheckpoints(const contract::RunFolder& run)
{
    std::error_code error;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator entry(run.checkpoints(), error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().filename().string().starts_with(kUnfinishedPrefix))
            unfinished.push_back(entry->path());
    }
    for (const fs::path& folder : unfinished)
        fs::remove_all(folder, error);
}

}  // namespace engine

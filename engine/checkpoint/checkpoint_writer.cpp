#include "engine/checkpoint/checkpoint_writer.h"

#include "engine/comm/errors.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"

#include <ATen/ops/zeros.h>

#include <fcntl.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::int64_t unixMsNow()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Renames the finished folder to its final name. A checkpoint of the same step from an earlier attempt is exchanged with it,
/// so that a complete checkpoint exists at any time; see also kFormerEnding.
/// @return where the one from the earlier attempt is now; empty when there was none
fs::path moveIntoPlace(const fs::path& unfinished, const fs::path& final)
{
    if (!contract::hasEntry(final)) {
        fs::rename(unfinished, final);
        return {};
    }
    if (::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, final.c_str(), RENAME_EXCHANGE) == 0)
        return unfinished;
    const fs::path former = unfinished.string() + kFormerEnding;  // the file system cannot exchange names
    fs::rename(final, former);
    std::error_code error, ignored;
    fs::rename(unfinished, final, error);
    if (error) {
        fs::rename(former, final, ignored);
        throw fs::filesystem_error("rename", final, error);
    }
    return former;
}

/// Disposes of a checkpoint that another one of the same step has replaced: a pinned one stays under another name, one that is
/// being read stays until the next attempt starts, any other is removed.
/// @return a sentence naming what was kept; empty when nothing was
std::string putAside(const fs::path& former, const contract::RunFolder& run, std::int64_t step)
{
    const contract::CheckpointLock lock(former, contract::CheckpointLock::Use::Remove);
    std::error_code error;
    const bool isPinned = fs::exists(former / contract::kPinFile, error) || error;
    if (!isPinned && lock.isHeld())
        fs::remove_all(former, error);
    if (!isPinned)
        return {};
    std::int64_t number = 1;
    while (contract::hasEntry(run.formerCheckpoint(step, number)))
        ++number;
    const fs::path kept = run.formerCheckpoint(step, number);
    fs::rename(former, kept, error);
    return "the pinned checkpoint step-" + std::to_string(step) + " of an earlier attempt was replaced; it is now in "
        + (error ? former : kept).string();
}

// A checksum is all-reduced as two doubles of 32 bits each, which stay exact when the other ranks add zeros.
void splitChecksum(std::uint64_t checksum, double* parts)
{
    parts[0] = static_cast<double>(checksum >> 32);
    parts[1] = static_cast<double>(checksum & 0xffffffff);
}

std::uint64_t joinChecksum(const double* parts)
{
    return static_cast<std::uint64_t>(parts[0]) << 32 | static_cast<std::uint64_t>(parts[1]);
}

std::string hexadecimal(std::uint64_t bits)
{
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(bits));
    return digits;
}

}  // namespace

CheckpointWriter::CheckpointWriter(
    contract::RunFolder run, UnitSequence& units, Mesh& mesh, Contents contents, RotationPolicy rotation, std::function<void()> whileWaiting)
    : m_run(std::move(run))
    , m_units(units)
    , m_mesh(mesh)
    , m_contents(contents)
    , m_rotation(std::move(rotation))
    , m_whileWaiting(std::move(whileWaiting))
    , m_file(planRankFile(units, contents, mesh.shard().rank()))
{
    if (isFirstRank())
        fillTable(m_table, units, contents, mesh.shard().size());
    if (writesFile())
        m_thread.run([this] { prepare(); });
}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::prepare()
{
    try {
        m_staging = makeStaging(m_units, m_file);
    } catch (const std::exception&) {
        m_staging.reset();  // save() tries again, where an out-of-memory error can be reported
    }
}

void CheckpointWriter::save(contract::CheckpointManifest manifest, RankData data)
{
    const auto start = Clock::now();
    m_thread.awaitIdle(m_whileWaiting);
    if (m_save)
        publishIfWritten();
    m_save = std::make_shared<Save>();
    m_save->start = start;
    m_save->result.step = manifest.step;
    m_save->folder = kUnfinishedPrefix + std::to_string(manifest.step) + "-" + std::to_string(++m_saves);
    m_save->manifest = std::move(manifest);
    if (writesFile()) {
        if (!m_staging.defined())
            m_staging = makeStaging(m_units, m_file);
        copyToStaging(m_units, m_contents, m_file, m_staging);
    }
    if (writesData()) {
        for (auto& [name, tensor] : data.tensors)
            tensor = tensor.cpu();  // no copy if it is already on the CPU
        m_save->data = std::move(data);
    }
    if (writesFile() || !m_save->data.isEmpty())
        m_thread.run([this, save = m_save] { write(*save); });
    m_save->result.pausedSeconds = secondsSince(start);
}

void CheckpointWriter::write(Save& save) const
{
    try {
        const fs::path folder = unfinished(save);
        fs::create_directories(folder);  // all ranks call this; the first one creates it
        if (writesFile())
            save.written[m_mesh.shard().rank()] = writeRankFile(m_file, m_staging, folder);
        if (!save.data.isEmpty())
            save.written[dataPlace()] = writeDataFile(std::exchange(save.data, {}), folder / fileName(dataPlace()));
    } catch (const std::exception& error) {
        save.result.problem = contract::sentenceOf(error);
    }
}

std::vector<SaveResult> CheckpointWriter::poll()
{
    if (m_save)
        publishIfWritten();
    const std::lock_guard lock(m_resultsMutex);
    return std::exchange(m_results, {});
}

std::vector<SaveResult> CheckpointWriter::finish()
{
    m_thread.awaitIdle(m_whileWaiting);
    if (m_save)
        publishIfWritten();
    m_thread.awaitIdle(m_whileWaiting);
    return poll();
}

void CheckpointWriter::publishIfWritten()
{
    // The sums: how many ranks are still writing; whether each rank failed; and of each place how many blocks and bytes its file has.
    constexpr std::int64_t kPerPlace = 2;
    const bool isWritten = m_thread.isIdle();
    const int ranks = m_mesh.world().size();
    at::Tensor sums = at::zeros({1 + ranks + kPerPlace * places()}, at::kDouble);
    auto* const mine = sums.data_ptr<double>();
    mine[0] = isWritten ? 0 : 1;
    if (isWritten) {
        mine[1 + m_mesh.world().rank()] = m_save->result.problem.empty() ? 0 : 1;
        for (const auto& [place, checksums] : m_save->written) {
            double* const entry = mine + 1 + ranks + kPerPlace * place;
            entry[0] = static_cast<double>(checksums.blocks.size());
            entry[1] = static_cast<double>(checksums.bytes);
        }
    }
    sums = sums.to(m_units.arena().device());
    m_mesh.world().allReduceSum(sums, "checkpoint files");
    sums = m_mesh.world().onHost(sums);
    const auto* const all = sums.const_data_ptr<double>();
    if (all[0] > 0)
        return;

    const std::shared_ptr<Save> save = std::exchange(m_save, nullptr);
    int failed = 0;
    while (failed < ranks && all[1 + failed] == 0)
        ++failed;
    const bool isWhole = failed == ranks;
    std::vector<std::size_t> blocks;
    for (int place = 0; place < places(); ++place) {
        const double* const entry = all + 1 + ranks + kPerPlace * place;
        blocks.push_back(static_cast<std::size_t>(entry[0]));
        if (blocks.back() > 0)
            save->manifest.fileBytes[fileName(place)] = static_cast<std::uint64_t>(entry[1]);
    }
    if (isWhole)
        gatherChecksums(*save, blocks);
    if (isFirstRank() && !isWhole && save->result.problem.empty())
        save->result.problem = "rank " + std::to_string(failed) + " could not write its file; see that rank's log";
    if (!save->result.problem.empty())
        report(*save);
    if (isFirstRank())
        m_thread.run([this, save, isWhole] { isWhole ? publish(*save) : discard(*save); });
}

void CheckpointWriter::gatherChecksums(Save& save, const std::vector<std::size_t>& blocks)
{
    std::vector<std::size_t> begins {0};  // in doubles: two for the file's checksum and two for each block's
    for (const std::size_t count : blocks)
        begins.push_back(begins.back() + 2 * (1 + count));
    at::Tensor sums = at::zeros({static_cast<std::int64_t>(begins.back())}, at::kDouble);
    for (const auto& [file, checksums] : save.written) {
        double* place = sums.data_ptr<double>() + begins[static_cast<std::size_t>(file)];
        splitChecksum(checksums.whole, place);
        for (const std::uint64_t checksum : checksums.blocks)
            splitChecksum(checksum, place += 2);
    }
    sums = sums.to(m_units.arena().device());
    m_mesh.world().allReduceSum(sums, "checksums of checkpoint files");
    if (!isFirstRank())
        return;
    sums = sums.cpu();
    for (std::size_t file = 0; file < blocks.size(); ++file) {
        if (blocks[file] == 0)
            continue;
        const double* place = sums.const_data_ptr<double>() + begins[file];
        const std::string name = fileName(static_cast<int>(file));
        save.manifest.checksums[name] = hexadecimal(joinChecksum(place));
        std::vector<std::uint64_t>& checksums = save.manifest.blocks[name];
        for (std::size_t block = 0; block < blocks[file]; ++block)
            checksums.push_back(joinChecksum(place += 2));
    }
}

void CheckpointWriter::publish(Save& save)
{
    const fs::path folder = unfinished(save), final = m_run.checkpoint(save.manifest.step);
    bool isInPlace = false;
    try {
        save.manifest.tensors = m_table.tensors;
        save.manifest.unixMs = unixMsNow();
        for (const auto& [name, bytes] : save.manifest.fileBytes) {
            if (!fs::exists(folder / name))
                throw std::runtime_error(name + " was written to a folder that rank 0 cannot see; all hosts must share the folder "
                    + m_run.root().string());
        }
        contract::writeManifest(folder, save.manifest);
        const fs::path former = moveIntoPlace(folder, final);
        isInPlace = true;
        contract::syncFolder(m_run.checkpoints());
        if (!former.empty())
            save.result.warning = putAside(former, m_run, save.manifest.step);
        save.result.bytes = save.manifest.bytes();
    } catch (const std::exception& error) {
        save.result.problem = contract::sentenceOf(error);
        if (!isInPlace)
            discard(save);
    }
    save.result.seconds = secondsSince(save.start);
    if (save.result.problem.empty())
        rotate(save);
    report(save);
}

void CheckpointWriter::rotate(Save& save) const
{
    try {
        rotateCheckpoints(m_run, m_rotation, save.manifest.step);
    } catch (const std::exception& error) {
        save.result.warning += (save.result.warning.empty() ? "" : "; ") + std::string("old checkpoints were not removed: ") + contract::sentenceOf(error);
    }
}

void CheckpointWriter::discard(const Save& save) const
{
    std::error_code ignored;
    fs::remove_all(unfinished(save), ignored);
}

void CheckpointWriter::report(const Save& save)
{
    const std::lock_guard lock(m_resultsMutex);
    m_results.push_back(save.result);
}

}  // namespace engine

#include "engine/checkpoint/checkpoint_writer.h"

#include "engine/comm/errors.h"
#include "engine/contract/output_file.h"

#include <ATen/ops/zeros.h>

#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <system_error>
#include <tuple>
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

/// Gives the finished folder its name. One of the same step, from an attempt that was resumed before it, changes
/// places with it and goes, so that there is a whole one at every moment.
void takeName(const fs::path& unfinished, const fs::path& final)
{
    const bool isReplaced = fs::exists(final);
    const unsigned how = isReplaced ? RENAME_EXCHANGE : 0;
    if (::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, final.c_str(), how) != 0) {
        if (isReplaced)
            fs::remove_all(final);
        fs::rename(unfinished, final);
    }
    contract::syncFolder(final.parent_path());
    if (isReplaced)
        fs::remove_all(unfinished);
}

// A checksum travels in two doubles of 32 bits each: exact, in any sum with zeros.
std::pair<double, double> halves(const std::string& checksum)
{
    std::uint64_t bits = 0;
    std::from_chars(checksum.data(), checksum.data() + checksum.size(), bits, 16);
    return {static_cast<double>(bits >> 32), static_cast<double>(bits & 0xffffffff)};
}

std::string joined(double high, double low)
{
    char digits[17];
    std::snprintf(digits, sizeof digits, "%08llx%08llx", static_cast<unsigned long long>(high),
        static_cast<unsigned long long>(low));
    return digits;
}

}  // namespace

CheckpointWriter::CheckpointWriter(
    contract::RunFolder run, UnitSequence& units, Mesh& mesh, Contents contents, RotationPolicy rotation)
    : m_run(std::move(run))
    , m_units(units)
    , m_mesh(mesh)
    , m_rotation(std::move(rotation))
    , m_file(planRankFile(units, contents, mesh.shard().rank()))
{
    if (isFirstRank())
        fillTable(m_table, units, contents, mesh.shard().size());
    if (writesFile())
        m_thread.run([this] { prepare(); });
}

CheckpointWriter::~CheckpointWriter() = default;

fs::path CheckpointWriter::unfinished(std::int64_t step) const
{
    return m_run.checkpoints() / (kUnfinishedPrefix + std::to_string(step));
}

void CheckpointWriter::prepare()
{
    try {
        m_staging = makeStaging(m_units, m_file);
    } catch (const std::exception&) {
        m_staging.reset();  // save() tries once more, where running out of memory can be told
    }
}

void CheckpointWriter::save(contract::CheckpointManifest manifest)
{
    const auto start = Clock::now();
    m_thread.awaitIdle();
    if (m_save)
        agree();
    m_save = std::make_shared<Save>();
    m_save->start = start;
    m_save->result.step = manifest.step;
    m_save->manifest = std::move(manifest);
    if (writesFile()) {
        if (!m_staging.defined())
            m_staging = makeStaging(m_units, m_file);
        stage(m_file, m_staging);
        m_thread.run([this, save = m_save] { write(*save); });
    }
    m_save->result.pausedSeconds = secondsSince(start);
}

void CheckpointWriter::write(Save& save) const
{
    try {
        const fs::path folder = unfinished(save.manifest.step);
        fs::create_directories(folder);  // each rank: the first one makes it
        save.checksum = writeRankFile(m_file, m_staging, folder);
    } catch (const std::exception& error) {
        save.result.problem = error.what();
    }
}

std::vector<SaveResult> CheckpointWriter::poll()
{
    if (m_save)
        agree();
    const std::lock_guard lock(m_resultsMutex);
    return std::exchange(m_results, {});
}

std::vector<SaveResult> CheckpointWriter::finish()
{
    m_thread.awaitIdle();
    if (m_save)
        agree();
    m_thread.awaitIdle();
    return poll();
}

void CheckpointWriter::agree()
{
    // How many ranks still write; then from each place of the shard group whether it failed, and its checksum.
    constexpr std::int64_t kOfEach = 3;
    const bool isWritten = m_thread.isIdle();
    const int places = m_mesh.shard().size();
    at::Tensor sums = at::zeros({1 + kOfEach * places}, at::kDouble);
    auto* const mine = sums.data_ptr<double>();
    mine[0] = isWritten ? 0 : 1;
    if (isWritten && writesFile()) {
        double* const entry = mine + 1 + kOfEach * m_mesh.shard().rank();
        entry[0] = m_save->result.problem.empty() ? 0 : 1;
        std::tie(entry[1], entry[2]) = halves(m_save->checksum);
    }
    sums = sums.to(m_units.arena().device());
    m_mesh.world().allReduceSum(sums, "checkpoint files");
    sums = sums.cpu();
    const auto* const all = sums.const_data_ptr<double>();
    if (all[0] > 0)
        return;

    const std::shared_ptr<Save> save = std::exchange(m_save, nullptr);
    int failed = -1;
    for (int place = 0; place < places; ++place) {
        const double* const entry = all + 1 + kOfEach * place;
        failed = entry[0] > 0 && failed < 0 ? place : failed;
        save->manifest.checksums[rankFileName(place)] = joined(entry[1], entry[2]);
    }
    if (isFirstRank() && failed > 0 && save->result.problem.empty())
        save->result.problem = "rank " + std::to_string(failed) + " could not write its file, as its own log says";
    if (!save->result.problem.empty())
        report(*save);
    if (isFirstRank())
        m_thread.run([this, save, isWhole = failed < 0] { isWhole ? publish(*save) : discard(*save); });
}

void CheckpointWriter::publish(Save& save)
{
    const fs::path folder = unfinished(save.manifest.step);
    try {
        save.manifest.fileBytes = m_table.fileBytes;
        save.manifest.tensors = m_table.tensors;
        save.manifest.unixMs = unixMsNow();
        for (const auto& [name, bytes] : save.manifest.fileBytes) {
            if (!fs::exists(folder / name))
                throw std::runtime_error(name + " was written where rank 0 does not see it; all hosts must share the folder "
                    + m_run.root().string());
        }
        contract::writeManifest(folder, save.manifest);
        takeName(folder, m_run.checkpoint(save.manifest.step));
        save.result.bytes = m_table.bytes();
    } catch (const std::exception& error) {
        save.result.problem = error.what();
        discard(save);
    }
    report(save);
    if (save.result.problem.empty())
        rotateCheckpoints(m_run, m_rotation, save.manifest.step);
}

void CheckpointWriter::discard(const Save& save) const
{
    std::error_code ignored;
    fs::remove_all(unfinished(save.manifest.step), ignored);
}

void CheckpointWriter::report(Save& save)
{
    save.result.seconds = secondsSince(save.start);
    const std::lock_guard lock(m_resultsMutex);
    m_results.push_back(save.result);
}

}  // namespace engine

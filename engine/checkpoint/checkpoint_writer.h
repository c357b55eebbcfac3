// Writes checkpoints while training continues.
//
// [Note: background saves]
// save() copies this rank's shards to host memory and returns; a background thread writes the rank's files, with checksums
// and fsync, into checkpoints/.unfinished-STEP-SAVE, where SAVE counts the saves of this process, so that no rank writes into
// a folder that rank 0 is publishing. Background threads never call collectives. While a save is in progress, the training
// threads determine at the end of each step, with one small all-reduce, whether all files are written; a second one then
// brings the checksums to rank 0. Its background thread writes the manifest, renames the folder to its final name and rotates.
// If anything fails before that, no reader ever sees the checkpoint.
#pragma once
#include "engine/checkpoint/background_thread.h"
#include "engine/checkpoint/data_file.h"
#include "engine/checkpoint/rank_file.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/run_folder.h"
#include "engine/shard/unit_sequence.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace engine {

/// The outcome of one save.
struct SaveResult {
    std::int64_t step = 0;
    std::uint64_t bytes = 0;   ///< size of all ranks' files together
    double pausedSeconds = 0;  ///< time for which save() blocked training
    double seconds = 0;        ///< from save() to the folder's final name
    std::string problem;       ///< empty on success; else one sentence that says why the checkpoint was not written
    std::string warning;       ///< a sentence when the checkpoint was written, but something beside it needs attention
};

/// save(), poll() and finish() are collective and must all be called by the same thread.
class CheckpointWriter {
public:
    /// @param units with their optimizer states already created; @p units and @p mesh must outlive this object
    /// @param whileWaiting called about every second while save() and finish() wait for files; may be empty
    CheckpointWriter(contract::RunFolder run, UnitSequence& units, Mesh& mesh, Contents contents, RotationPolicy rotation,
        std::function<void()> whileWaiting = {});
    /// Waits for the background thread to finish its work.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    /// Starts saving the current values of the shards. First waits for the files of the previous save.
    /// @param manifest complete except for files, checksums and tensors; only rank 0's is used
    /// @param data of this data rank. Its tensors must not be changed later; those on the CPU are written without a copy. Of ranks
    ///        that share a sequence, the first one writes.
    void save(contract::CheckpointManifest manifest, RankData data = {});

    /// Call once after each step: publishes a save when all its files are written.
    /// @return results since the last call: all saves on rank 0, only this rank's failed saves on other ranks.
    std::vector<SaveResult> poll();

    /// Like poll(), but first waits until every save has its final name or has failed.
    std::vector<SaveResult> finish();

private:
    struct Save {
        contract::CheckpointManifest manifest;
        SaveResult result;
        std::chrono::steady_clock::time_point start;
        std::string folder;        ///< name of the folder in which the files are written
        RankData data;             ///< until it is written; empty on ranks that do not write it
        std::map<int, FileChecksums> written;  ///< of this rank's files by their places, once the thread is idle
    };
    void prepare();
    void write(Save& save) const;
    /// Exchanges the ranks' progress; once all files are written, publishes the save or reports its failure. Collective.
    void publishIfWritten();
    /// Brings the checksums of all ranks' files into rank 0's manifest. Collective.
    /// @param blocks number of blocks of the file in each place; 0: there is none
    void gatherChecksums(Save& save, const std::vector<std::size_t>& blocks);
    void publish(Save& save);
    void discard(const Save& save) const;
    void rotate(Save& save) const;
    void report(const Save& save);

    std::filesystem::path unfinished(const Save& save) const { return m_run.checkpoints() / save.folder; }
    bool isFirstRank() const { return m_mesh.world().rank() == 0; }
    /// Replicas hold the same shards, so only the first replica writes.
    bool writesFile() const { return m_mesh.replicate().rank() == 0; }
    bool writesData() const { return m_mesh.ring().rank() == 0 && m_mesh.ulysses().rank() == 0; }

    // The places of all ranks' files: those of the shard ranks, then those of the data ranks.
    int places() const { return m_mesh.shard().size() + m_mesh.data().size(); }
    int dataPlace() const { return m_mesh.shard().size() + m_mesh.data().rank(); }
    std::string fileName(int place) const
    {
        return place < m_mesh.shard().size() ? rankFileName(place) : dataFileName(place - m_mesh.shard().size());
    }

    contract::RunFolder m_run;
    UnitSequence& m_units;
    Mesh& m_mesh;
    Contents m_contents;
    RotationPolicy m_rotation;
    std::function<void()> m_whileWaiting;
    RankFile m_file;
    contract::CheckpointManifest m_table;  ///< on rank 0: the tensors, which are the same in every save
    at::Tensor m_staging;                  ///< created by the thread before the first save, then reused
    std::int64_t m_saves = 0;              ///< number of saves so far; equal on all ranks
    std::shared_ptr<Save> m_save;          ///< the save whose files are being written; null on all ranks or on none
    std::mutex m_resultsMutex;
    std::vector<SaveResult> m_results;
    BackgroundThread m_thread;             ///< declared last, because it uses the other members
};

}  // namespace engine

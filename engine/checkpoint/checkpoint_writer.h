// Writes checkpoints while training goes on.
//
// [Note: background saves]
// save() copies this rank's shards to host memory and returns; a thread writes the rank's file, with checksum and
// fsync, into checkpoints/.unfinished-N. Threads take no part in collectives: whether all files are written is agreed
// by the training threads, in one small sum at the end of each step while a save is under way. Then rank 0's thread
// writes the manifest, gives the folder its name and rotates. Whatever happens before, no reader ever sees it.
#pragma once
#include "engine/checkpoint/background_thread.h"
#include "engine/checkpoint/rank_file.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/run_folder.h"
#include "engine/shard/unit_sequence.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace engine {

/// What became of one save.
struct SaveResult {
    std::int64_t step = 0;
    std::uint64_t bytes = 0;   ///< of all ranks' files
    double pausedSeconds = 0;  ///< in which training stood still
    double seconds = 0;        ///< from save() to the folder's final name
    std::string problem;       ///< empty when the checkpoint is on the disk; else why not, in one sentence
};

/// save(), poll() and finish() are collective and called by one thread.
class CheckpointWriter {
public:
    /// @param units with the states of their optimizer; they and @p mesh outlive this
    CheckpointWriter(contract::RunFolder run, UnitSequence& units, Mesh& mesh, Contents contents, RotationPolicy rotation);
    /// Waits for what the thread still does.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    /// Saves the shards as they are. When the save before is still being written, waits for its files.
    /// @param manifest with everything but files, checksums and tensors; rank 0's is the one that counts
    void save(contract::CheckpointManifest manifest);

    /// Once after each step: publishes a save whose files are all written.
    /// @return what has come to an end since: every save on rank 0, on the others what failed on that rank.
    std::vector<SaveResult> poll();

    /// The same, when all that was saved has its final name (or has failed).
    std::vector<SaveResult> finish();

private:
    struct Save {
        contract::CheckpointManifest manifest;
        SaveResult result;
        std::chrono::steady_clock::time_point start;
        std::string checksum;  ///< of this rank's file, once the thread is idle
    };
    void prepare();
    void write(Save& save) const;
    void agree();
    void publish(Save& save);
    void discard(const Save& save) const;
    void report(Save& save);

    std::filesystem::path unfinished(std::int64_t step) const;
    bool isFirstRank() const { return m_mesh.world().rank() == 0; }
    /// Replicas hold the same shards: one of them writes.
    bool writesFile() const { return m_mesh.replicate().rank() == 0; }

    contract::RunFolder m_run;
    UnitSequence& m_units;
    Mesh& m_mesh;
    RotationPolicy m_rotation;
    RankFile m_file;
    contract::CheckpointManifest m_table;  ///< rank 0: files and tensors, which are the same each time
    at::Tensor m_staging;                  ///< made by the thread before the first save, and kept
    std::shared_ptr<Save> m_save;          ///< whose files are being written; the same on all ranks
    std::mutex m_resultsMutex;
    std::vector<SaveResult> m_results;
    BackgroundThread m_thread;             ///< last: it uses the others
};

}  // namespace engine

// Brings the database up to what a run's folder says. Live ingest, catching up after a crash and
// rebuilding the index are the same call.
#pragma once
#include "engine/contract/run_folder.h"
#include "storage/store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace storage {

class Ingest {
public:
    /// @param store must outlive this, opened ReadWrite on this thread.
    explicit Ingest(Store& store);
    ~Ingest();

    struct Result {
        std::int64_t values = 0;          ///< metric values added
        std::int64_t malformedLines = 0;  ///< passed over
        std::vector<std::string> problems;  ///< a sentence for each file that could not be read
        bool operator==(const Result&) const = default;
    };

    /// Reads what was appended to every journal since the last call (by any process: offsets are in the
    /// database), attempts, annotations and the checkpoint folders. Doing it twice changes nothing.
    /// A folder that is gone is no error. @throws StoreError.
    Result catchUp(const contract::RunFolder& folder);

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

/// catchUp() of every run under @p runsFolder, with rows of vanished folders removed.
/// @return one sentence per folder that could not be read.
std::vector<std::string> catchUpAll(Store& store, const std::filesystem::path& runsFolder);

/// Builds a new database from the run folders beside the old one, checks it and puts it in its place;
/// the old file is kept as "<name>.before-reindex". @throws StoreError; the old database is then untouched.
/// @param onProgress called with (runs done, runs in all).
std::vector<std::string> reindex(const std::filesystem::path& database,
    const std::filesystem::path& runsFolder,
    const std::function<void(std::size_t, std::size_t)>& onProgress);

}  // namespace storage

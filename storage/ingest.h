// Brings the database up to date with the run folders. The same call serves live ingest, catching up after a crash and
// rebuilding the index.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace storage {

class Ingest {
public:
    /// @param store must outlive this object, and must have been opened ReadWrite on the calling thread.
    explicit Ingest(Store& store);
    ~Ingest();

    struct Result {
        std::int64_t values = 0;          ///< metric values added
        std::int64_t malformedLines = 0;  ///< journal lines that were skipped
        std::vector<std::string> problems;  ///< a sentence for each file that could not be read
        bool operator==(const Result&) const = default;
    };

    /// Reads what was appended to every journal since the last call of any process (the offsets are in the database), and
    /// the attempts, annotations and checkpoint folders. Idempotent. A missing folder is not an error.
    /// @throws StoreError.
    Result catchUp(const contract::RunFolder& folder);

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

/// Calls Ingest::catchUp() for every run under @p runsFolder and removes the runs whose folders are gone. No-op when
/// @p runsFolder does not exist. @return one sentence for each file or folder that could not be read. @throws StoreError.
std::vector<std::string> catchUpAll(Store& store, const std::filesystem::path& runsFolder);

/// Builds a new database from the run folders, checks it, and replaces the old one, which is kept as
/// "<name>.before-reindex". @throws StoreError; the old database is then untouched.
/// @param onProgress called with (number of runs done, total number of runs)
/// @return one sentence for each file or folder that could not be read
std::vector<std::string> reindex(const std::filesystem::path& database,
    const std::filesystem::path& runsFolder,
    const std::function<void(std::size_t, std::size_t)>& onProgress);

}  // namespace storage

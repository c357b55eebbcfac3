#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/temporary_name.h"
#include "storage/database_file.h"
#include "storage/ingest.h"
#include "storage/store_error.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

namespace storage {
namespace {

namespace fs = std::filesystem;

/// Returns the folders that can be runs: those with attempts or journals. Excludes hidden folders, which are still being
/// assembled.
std::vector<fs::path> runFolders(const fs::path& folder)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::path& entry : contract::entriesOf(folder, error)) {
        // Not: is_directory. A run one of whose folders cannot be read is a run.
        const bool isRun = entry.filename().string().front() != '.'
            && (contract::hasEntry(entry / "attempts") || contract::hasEntry(entry / "journal"));
        if (isRun)
            folders.push_back(entry);
    }
    if (error && error != std::errc::no_such_file_or_directory)
        throw std::system_error(error, folder.string());
    return folders;
}

using Progress = std::function<void(std::size_t, std::size_t)>;

std::vector<std::string> catchUpEach(
    Store& store, const std::vector<fs::path>& folders, const Progress& onProgress)
{
    std::vector<std::string> problems;
    Ingest ingest(store);
    for (std::size_t i = 0; i < folders.size(); ++i) {
        onProgress(i, folders.size());
        try {
            for (std::string& problem : ingest.catchUp(contract::RunFolder(folders[i])).problems)
                problems.push_back(std::move(problem));
        } catch (const StoreError&) {
            throw;
        } catch (const std::exception& error) {
            problems.push_back(folders[i].string() + " cannot be read: " + error.what());
        }
    }
    onProgress(folders.size(), folders.size());
    return problems;
}

void checkIntegrity(const fs::path& file)
{
    Database database(file, Database::Mode::ReadWrite);  // writable, so that closing it writes the log back
    Query row = database.query("PRAGMA integrity_check(1)");
    if (!row.step() || row.text(0) != "ok")
        throw corruptError(file, "is damaged right after it was written (" + row.text(0) + "); the disk may be failing");
}

/// Renames the old database with its log and moves the new one to its path. A Store that has the old one open reopens at
/// its next use.
void replaceDatabase(const fs::path& unfinished, const fs::path& database)
{
    const FolderLock lock(folderOf(database), FolderLock::Kind::Exclusive);
    std::error_code error;
    if (fs::exists(database, error))
        renameDatabase(database, fs::path(database.string() + ".before-reindex"));
    removeDatabase(database);
    renameDatabase(unfinished, database);
}

}  // namespace

std::vector<std::string> catchUpAll(Store& store, const fs::path& runsFolder)
{
    std::vector<fs::path> folders;
    std::error_code missing;
    if (!fs::exists(runsFolder, missing))
        return {};  // keep the runs of a disk that is not mounted now
    try {
        folders = runFolders(runsFolder);
    } catch (const std::system_error& error) {
        return {std::string(error.what())};
    }
    const auto problems = catchUpEach(store, folders, [](std::size_t, std::size_t) {});
    std::set<std::string> ids;
    for (const fs::path& folder : folders)
        ids.insert(folder.filename().string());
    for (const RunRow& run : store.runs())
        if (!ids.contains(run.id) && !fs::exists(run.folder, missing))
            store.removeRun(run.id);
    return problems;
}

std::vector<std::string> reindex(
    const fs::path& database, const fs::path& runsFolder, const Progress& onProgress)
{
    const fs::path unfinished = contract::temporaryName(database);
    try {
        std::vector<std::string> problems;
        {
            Store store(unfinished);
            problems = catchUpEach(store, runFolders(runsFolder), onProgress);
        }
        checkIntegrity(unfinished);
        replaceDatabase(unfinished, database);
        return problems;
    } catch (const SQLite::Exception& error) {
        const StoreError problem = storeError(database, error, errno);
        removeDatabase(unfinished);
        throw problem;
    } catch (const std::system_error& error) {
        removeDatabase(unfinished);
        throw StoreError(StoreError::Kind::Other, database.string() + " cannot be rebuilt: " + error.what());
    } catch (...) {
        removeDatabase(unfinished);
        throw;
    }
}

}  // namespace storage

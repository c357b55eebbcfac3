#include "storage/database_file.h"
#include "storage/ingest.h"
#include "storage/store_error.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include <unistd.h>

namespace storage {
namespace {

namespace fs = std::filesystem;

/// Folders that can be runs: those with attempts or journals. What is put together for another name
/// (hidden ones) is none yet.
std::vector<fs::path> runFolders(const fs::path& folder)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        const bool isRun = entry->path().filename().string().front() != '.'
            && (fs::is_directory(entry->path() / "attempts", ignored)
                || fs::is_directory(entry->path() / "journal", ignored));
        if (isRun)
            folders.push_back(entry->path());
    }
    if (error && error != std::errc::no_such_file_or_directory)
        throw std::system_error(error, folder.string());
    std::ranges::sort(folders);
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
    Database database(file, Database::Mode::ReadWrite);  // takes the log along when it closes
    Query row = database.query("PRAGMA integrity_check(1)");
    if (!row.step() || row.text(0) != "ok")
        throw corruptError(file, "was written damaged (" + row.text(0) + "), perhaps by a failing disk");
}

/// The old database gives way, with its log; whoever has it open finds the new one at the next look.
void putInPlace(const fs::path& unfinished, const fs::path& database)
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
        return {};  // a disk that is away now is no reason to forget its runs
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
    const fs::path unfinished(database.string() + ".reindex" + std::to_string(::getpid()));
    removeDatabase(unfinished);
    try {
        std::vector<std::string> problems;
        {
            Store store(unfinished);
            problems = catchUpEach(store, runFolders(runsFolder), onProgress);
        }
        checkIntegrity(unfinished);
        putInPlace(unfinished, database);
        return problems;
    } catch (const SQLite::Exception& error) {
        const StoreError sentence = storeError(database, error, errno);
        removeDatabase(unfinished);
        throw sentence;
    } catch (const std::system_error& error) {
        removeDatabase(unfinished);
        throw StoreError(StoreError::Kind::Other, database.string() + " cannot be rebuilt: " + error.what());
    } catch (...) {
        removeDatabase(unfinished);
        throw;
    }
}

}  // namespace storage

#include "storage/database_file.h"

#include "storage/migrations.h"
#include "storage/store_error.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace storage {
namespace {

namespace fs = std::filesystem;
using Kind = StoreError::Kind;

fs::path beside(const fs::path& file, const char* ending) { return fs::path(file.string() + ending); }

bool isMissingOrEmpty(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return size == 0 || error == std::errc::no_such_file_or_directory;
}

std::uint32_t bigEndian(const char* bytes)
{
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

constexpr std::size_t kHeaderBytes = 100;

/// The file's first bytes; fewer when it is shorter, nothing when it cannot be opened.
///
/// [Note: descriptors of a database]
/// POSIX takes all locks of a process on a file away when the process closes any descriptor of that file:
/// closing one here would unlock the connections that other threads have open, and another process that
/// closes its own would then take itself for the last one and delete the log under them. So a descriptor,
/// one for each file ever looked at, stays open as long as the process.
std::optional<std::string> readHeader(const fs::path& file)
{
    static std::mutex mutex;
    static std::map<std::pair<dev_t, ino_t>, int> descriptors;
    const std::lock_guard lock(mutex);
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return std::nullopt;
    auto [known, isNew] = descriptors.try_emplace({status.st_dev, status.st_ino}, -1);
    if (known->second < 0)
        known->second = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::string header(kHeaderBytes, '\0');
    const ssize_t size = ::pread(known->second, header.data(), header.size(), 0);
    if (size < 0)
        return std::nullopt;
    header.resize(static_cast<std::size_t>(size));
    return header;
}

/// By the file's first bytes, before SQLite may touch it.
void checkHeader(const fs::path& file)
{
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    constexpr std::size_t kVersionAt = 60;
    constexpr std::size_t kApplicationAt = 68;
    const std::optional<std::string> header = readHeader(file);
    if (!header)
        throw StoreError(Kind::ReadOnly, file.string() + " cannot be read: give yourself the right to");
    if (header->size() < kHeaderBytes || !header->starts_with(kMagic))
        throw corruptError(file, "is not a database");
    if (bigEndian(header->data() + kApplicationAt) == kApplicationId
        && bigEndian(header->data() + kVersionAt) > migrations().size())
        throw newerError(file);
}

enum class Schema { Current, Old, None };

/// As SQLite sees it, log included. @throws StoreError when it is not ours or too new.
Schema inspectSchema(const fs::path& file, Database& database)
{
    const auto version = static_cast<std::size_t>(database.pragma("user_version"));
    const std::int64_t application = database.pragma("application_id");
    Query tables = database.query("SELECT count(*) FROM sqlite_schema");
    tables.step();
    if (application == 0 && tables.integer(0) == 0)
        return Schema::None;
    if (application != kApplicationId)
        throw corruptError(file, "is another program's database");
    if (version > migrations().size())
        throw newerError(file);
    return version == migrations().size() ? Schema::Current : Schema::Old;
}

void checkWritable(const fs::path& file)
{
    const fs::path folder = folderOf(file);
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw StoreError(Kind::ReadOnly, folder.string()
                + " is not there, so that no database can be kept in it: create the folder");
    const bool isWritable = ::access(folder.c_str(), W_OK | X_OK) == 0
        && (::access(file.c_str(), W_OK) == 0 || errno == ENOENT);
    if (!isWritable)
        throw StoreError(Kind::ReadOnly, file.string() + " or its folder cannot be written ("
                + std::strerror(errno) + "): give yourself the right to write there");
}

/// Under another name until it is whole, so that a database at @p file always is.
void createDatabase(const fs::path& file)
{
    const fs::path unfinished = beside(file, (".new" + std::to_string(::getpid())).c_str());
    removeDatabase(unfinished);
    if (!std::ofstream(unfinished))
        throw StoreError(Kind::ReadOnly, file.string() + " cannot be created ("
                + std::strerror(errno) + "): give yourself the right to write in its folder");
    try {
        Database database(unfinished, Database::Mode::ReadWrite);
        database.execute("PRAGMA journal_mode = WAL");
        migrate(database, unfinished, migrations());
    } catch (...) {
        const int cause = errno;  // says whether the disk is full
        removeDatabase(unfinished);
        errno = cause;
        throw;
    }
    removeDatabase(file);  // an empty file, or the log of a vanished one
    fs::rename(unfinished, file);
}

OpenDatabase openReadOnly(const fs::path& file)
{
    checkHeader(file);
    const auto open = [&](Database::Mode mode) {
        OpenDatabase result {std::make_unique<Database>(file, mode), mode};
        if (inspectSchema(file, *result.database) != Schema::Current)
            throw StoreError(Kind::Other, file.string()
                    + " was written by an older Atelier and cannot be read as it is: open it once"
                      " with the right to write");
        return result;
    };
    try {
        return open(Database::Mode::ReadOnly);
    } catch (const SQLite::Exception& error) {
        const int code = error.getErrorCode();
        const bool lacksRights = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
        if (!lacksRights || !isMissingOrEmpty(beside(file, "-wal")))
            throw;
        return open(Database::Mode::Frozen);
    }
}

/// Empty when it must first be created or migrated.
std::unique_ptr<Database> openCurrent(const fs::path& file)
{
    if (isMissingOrEmpty(file))
        return nullptr;
    checkHeader(file);
    {
        // Closing a connection that may write would already write the log back.
        Database looking(file, Database::Mode::ReadOnly);
        if (inspectSchema(file, looking) != Schema::Current)
            return nullptr;
    }
    auto database = std::make_unique<Database>(file, Database::Mode::ReadWrite);
    inspectSchema(file, *database);
    return database;
}

OpenDatabase openReadWrite(const fs::path& file)
{
    checkWritable(file);
    {
        const FolderLock lock(folderOf(file), FolderLock::Kind::Shared);
        if (auto database = openCurrent(file))
            return {std::move(database), Database::Mode::ReadWrite};
    }
    const FolderLock lock(folderOf(file), FolderLock::Kind::Exclusive);
    if (isMissingOrEmpty(file))
        createDatabase(file);
    auto database = std::make_unique<Database>(file, Database::Mode::ReadWrite);
    inspectSchema(file, *database);
    database->execute("PRAGMA journal_mode = WAL");
    migrate(*database, file, migrations());
    return {std::move(database), Database::Mode::ReadWrite};
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Kind kind)
    : m_descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{
    if (m_descriptor < 0)
        return;
    while (::flock(m_descriptor, kind == Kind::Shared ? LOCK_SH : LOCK_EX) != 0 && errno == EINTR) {
    }
}

FolderLock::~FolderLock()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

fs::path folderOf(const fs::path& database)
{
    return database.has_parent_path() ? database.parent_path() : fs::path(".");
}

OpenDatabase openDatabase(const fs::path& file, Store::Open mode)
{
    errno = 0;
    try {
        if (mode == Store::Open::ReadWrite)
            return openReadWrite(file);
        const FolderLock lock(folderOf(file), FolderLock::Kind::Shared);
        std::error_code error;
        if (!fs::exists(file, error) && !error)
            throw StoreError(Kind::Other, file.string() + " is not there: the first run makes it");
        return openReadOnly(file);
    } catch (const SQLite::Exception& error) {
        throw storeError(file, error, errno);
    } catch (const fs::filesystem_error& error) {
        throw StoreError(Kind::Other, file.string() + " cannot be created: " + error.what());
    }
}

void removeDatabase(const fs::path& file)
{
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal"})
        fs::remove(beside(file, ending), ignored);
}

void renameDatabase(const fs::path& from, const fs::path& to)
{
    removeDatabase(to);
    for (const char* ending : {"-wal", "-shm", "-journal", ""}) {
        std::error_code error;
        if (fs::exists(beside(from, ending), error))
            fs::rename(beside(from, ending), beside(to, ending));
    }
}

FileIdentity identify(const fs::path& file, Database::Mode mode)
{
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0)
        return {};
    FileIdentity identity {.device = info.st_dev, .inode = info.st_ino};
    if (mode == Database::Mode::Frozen) {
        identity.changeNs = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
        identity.hasLog = !isMissingOrEmpty(beside(file, "-wal"));
    }
    return identity;
}

}  // namespace storage

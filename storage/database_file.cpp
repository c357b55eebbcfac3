#include "storage/database_file.h"

#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/temporary_name.h"
#include "storage/migrations.h"
#include "storage/store_error.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

fs::path withEnding(const fs::path& file, const char* ending) { return fs::path(file.string() + ending); }

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

/// Returns the file's first kHeaderBytes bytes; fewer when it is shorter, nullopt when it cannot be read.
///
/// [Note: descriptors of a database]
/// POSIX releases all locks of a process on a file when the process closes any descriptor of that file. Closing one here
/// would release the locks of connections that other threads have open; another process that closes its own connection
/// would then believe that it is the last one and delete the log that they use. So one descriptor for each file that was
/// ever read here stays open until the process ends.
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
        known->second = contract::openRegularFile(file, O_RDONLY, contract::Links::Follow);
    std::string header(kHeaderBytes, '\0');
    const ssize_t size = ::pread(known->second, header.data(), header.size(), 0);
    if (size < 0)
        return std::nullopt;
    header.resize(static_cast<std::size_t>(size));
    return header;
}

/// Checks the file's first bytes before SQLite opens it. @throws StoreError.
void checkHeader(const fs::path& file)
{
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    constexpr std::size_t kVersionAt = 60;
    constexpr std::size_t kApplicationAt = 68;
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
        // SQLite would wait for a process at the other end of a pipe.
        std::error_code error;
        const fs::file_type type = fs::status(withEnding(file, ending), error).type();
        if (type != fs::file_type::regular && type != fs::file_type::not_found && type != fs::file_type::none)
            throw corruptError(withEnding(file, ending), "is not a regular file");
    }
    const std::optional<std::string> header = readHeader(file);
    if (!header)
        throw StoreError(Kind::ReadOnly, file.string() + " cannot be read: grant yourself read permission");
    if (header->size() < kHeaderBytes || !header->starts_with(kMagic))
        throw corruptError(file, "is not a database");
    if (bigEndian(header->data() + kApplicationAt) == kApplicationId
        && bigEndian(header->data() + kVersionAt) > migrations().size())
        throw newerError(file);
}

enum class Schema { Current, Old, None };

/// Determines the schema through SQLite, which includes the log. @throws StoreError when the database is another program's
/// or too new.
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
                + " does not exist, so the database cannot be created in it: create the folder");
    const bool isWritable = ::access(folder.c_str(), W_OK | X_OK) == 0
        && (::access(file.c_str(), W_OK) == 0 || errno == ENOENT);
    if (!isWritable)
        throw StoreError(Kind::ReadOnly, file.string() + " or its folder cannot be written ("
                + std::strerror(errno) + "): grant yourself write permission there");
}

/// Creates the database under another name and renames it when it is complete, so that @p file is never incomplete.
void createDatabase(const fs::path& file)
{
    const fs::path unfinished = contract::temporaryName(file);
    if (!createPrivateFile(unfinished))
        throw StoreError(Kind::ReadOnly, file.string() + " cannot be created ("
                + std::strerror(errno) + "): grant yourself write permission in its folder");
    try {
        Database database(unfinished, Database::Mode::ReadWrite);
        database.execute("PRAGMA auto_vacuum = INCREMENTAL");  // for shrink(); effective only in an empty file
        database.execute("PRAGMA journal_mode = WAL");
        migrate(database, unfinished, migrations());
    } catch (...) {
        const int cause = errno;  // kept for storeError(), which detects a full disk by it
        removeDatabase(unfinished);
        errno = cause;
        throw;
    }
    removeDatabase(file);  // an empty file, or the log of a deleted one
    fs::rename(unfinished, file);
}

OpenDatabase openReadOnly(const fs::path& file)
{
    checkHeader(file);
    const auto open = [&](Database::Mode mode) {
        OpenDatabase result {std::make_unique<Database>(file, mode), mode};
        if (inspectSchema(file, *result.database) != Schema::Current)
            throw StoreError(Kind::Other, file.string()
                    + " was written by an older Atelier and must be migrated: open it once"
                      " with write permission");
        return result;
    };
    try {
        return open(Database::Mode::ReadOnly);
    } catch (const SQLite::Exception& error) {
        const int code = error.getErrorCode();
        const bool lacksRights = code == SQLITE_CANTOPEN || code == SQLITE_READONLY, lacksRoom = code == SQLITE_IOERR && isDiskFull(file);
        if ((!lacksRights && !lacksRoom) || !isMissingOrEmpty(withEnding(file, "-wal")))
            throw;
        return open(Database::Mode::Frozen);
    }
}

/// Returns null when the database must be created or migrated first.
std::unique_ptr<Database> openCurrent(const fs::path& file)
{
    if (isMissingOrEmpty(file))
        return nullptr;
    checkHeader(file);
    {
        // Opened read-only, because closing a writable connection would write the log back to the file.
        Database readOnly(file, Database::Mode::ReadOnly);
        if (inspectSchema(file, readOnly) != Schema::Current)
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
            throw StoreError(Kind::Other, file.string() + " does not exist: the first run creates it");
        return openReadOnly(file);
    } catch (const SQLite::Exception& error) {
        throw storeError(file, error, errno);
    } catch (const fs::filesystem_error& error) {
        throw StoreError(Kind::Other, file.string() + " cannot be created: " + error.what());
    }
}

bool createPrivateFile(const fs::path& file)
{
    const int descriptor = contract::openRegularFile(file, O_WRONLY | O_CREAT | O_TRUNC, contract::Links::Refuse);
    if (descriptor < 0)
        return false;
    ::close(descriptor);
    return true;
}

void removeDatabase(const fs::path& file)
{
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal"})
        fs::remove(withEnding(file, ending), ignored);
}

void renameDatabase(const fs::path& from, const fs::path& to)
{
    removeDatabase(to);
    for (const char* ending : {"-wal", "-shm", "-journal", ""}) {
        std::error_code error;
        if (fs::exists(withEnding(from, ending), error))
            fs::rename(withEnding(from, ending), withEnding(to, ending));
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
        identity.hasLog = !isMissingOrEmpty(withEnding(file, "-wal"));
    }
    return identity;
}

}  // namespace storage

#include "storage/run_ingest.h"

#include "engine/contract/run/annotations.h"

#include <sys/stat.h>

#include <stdexcept>

namespace storage {
namespace {

struct StoredRun {
    std::int64_t key = 0;  ///< 0: none
    std::string folder;
    std::string stamp;
};

StoredRun findRun(Database& database, const std::string& id)
{
    Query row = database.query("SELECT key, folder, annotations_stamp FROM run WHERE id = ?");
    if (!row.bind(id).step())
        return {};
    return {row.integer(0), row.text(1), row.text(2)};
}

void writeTags(Database& database, std::int64_t run, const std::vector<std::string>& tags)
{
    database.query("DELETE FROM tag WHERE run = ?").bind(run).run();
    int position = 0;
    for (const std::string& tag : tags)
        database.query("INSERT INTO tag (run, position, name) VALUES (?, ?, ?)").bind(run, position++, tag).run();
}

}  // namespace

std::string stampOf(const std::filesystem::path& file)
{
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0)
        return {};
    return std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + ":"
        + std::to_string(info.st_size) + ":" + std::to_string(info.st_ino);
}

std::string whyUnreadable(const std::filesystem::path& folder, const std::error_code& error)
{
    const bool isKnown = !error || error == std::errc::no_such_file_or_directory;
    return isKnown ? std::string() : folder.string() + ": cannot be read (" + error.message() + ")";
}

std::int64_t ingestRun(Database& database, const contract::RunFolder& folder, std::vector<std::string>& problems)
{
    const std::string id = folder.id();
    const std::string path = folder.root().string();
    std::string stamp = stampOf(folder.annotations());
    const StoredRun stored = findRun(database, id);
    if (stored.key != 0 && stored.folder == path && stored.stamp == stamp)
        return stored.key;

    contract::Annotations annotations;
    try {
        annotations = contract::readAnnotations(folder.annotations());
    } catch (const std::runtime_error& error) {
        problems.emplace_back(error.what());
        if (stored.key != 0) {
            database.query("UPDATE run SET folder = ? WHERE key = ?").bind(path, stored.key).run();
            return stored.key;
        }
        stamp.clear();  // so that they are read again next time
    }
    WriteTransaction transaction(database);
    database.query("INSERT INTO run (id, folder, name, project, notes, is_archived, annotations_stamp, colour, dash, marker)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET folder = excluded.folder,"
                   " name = excluded.name, project = excluded.project, notes = excluded.notes,"
                   " is_archived = excluded.is_archived, annotations_stamp = excluded.annotations_stamp,"
                   " colour = excluded.colour, dash = excluded.dash, marker = excluded.marker")
        .bind(id, path, annotations.name, annotations.project, annotations.notes, annotations.isArchived, stamp,
            contract::colourText(annotations.line), contract::dashText(annotations.line), contract::markerText(annotations.line))
        .run();
    const std::int64_t key = findRun(database, id).key;
    writeTags(database, key, annotations.tags);
    transaction.commit();
    return key;
}

}  // namespace storage

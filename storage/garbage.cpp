#include "storage/garbage.h"

#include <utility>

namespace storage {
namespace {

/// Runs @p sql until it changes no row.
void repeat(Database& database, const char* sql)
{
    do {
        database.query(sql).run();
    } while (database.connection().getChanges() > 0);
}

}  // namespace

void sweepGarbage(Database& database)
{
    Query orphan = database.query("SELECT 1 FROM series WHERE run IS NULL LIMIT 1");
    if (!orphan.step())
        return;
    orphan.free();
    repeat(database, "DELETE FROM block WHERE rowid IN (SELECT block.rowid FROM series JOIN block"
                     " ON block.series = series.key WHERE series.run IS NULL LIMIT 256)");
    repeat(database, "DELETE FROM level WHERE rowid IN (SELECT level.rowid FROM series JOIN level"
                     " ON level.series = series.key WHERE series.run IS NULL LIMIT 256)");
    repeat(database, "DELETE FROM series WHERE key IN (SELECT key FROM series WHERE run IS NULL LIMIT 256)");
}

void shrink(Database& database)
{
    if (database.pragma("auto_vacuum") != kIncrementalVacuum)
        return;
    for (std::int64_t unused = database.pragma("freelist_count"), before = unused + 1; unused > 0 && unused < before;) {
        database.execute("PRAGMA incremental_vacuum(256)");
        before = std::exchange(unused, database.pragma("freelist_count"));
    }
    // The file shrinks when the log is written back. Passive: waits neither for readers nor for writers.
    database.execute("PRAGMA wal_checkpoint(PASSIVE)");
}

}  // namespace storage

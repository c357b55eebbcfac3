#include "storage/garbage.h"

namespace storage {
namespace {

void repeat(Database& database, const char* sql)
{
    do {
        database.query(sql).run();
    } while (database.connection().getChanges() > 0);
}

}  // namespace

void sweepGarbage(Database& database)
{
    Query waste = database.query("SELECT 1 FROM series WHERE run IS NULL LIMIT 1");
    if (!waste.step())
        return;
    waste.free();
    repeat(database, "DELETE FROM block WHERE rowid IN (SELECT block.rowid FROM series JOIN block"
                     " ON block.series = series.key WHERE series.run IS NULL LIMIT 256)");
    repeat(database, "DELETE FROM level WHERE rowid IN (SELECT level.rowid FROM series JOIN level"
                     " ON level.series = series.key WHERE series.run IS NULL LIMIT 256)");
    repeat(database, "DELETE FROM series WHERE key IN (SELECT key FROM series WHERE run IS NULL LIMIT 256)");
}

}  // namespace storage

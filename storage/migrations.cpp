#include "storage/migrations.h"

#include <array>
#include <string>

namespace storage {
namespace {

// [Note: schema]
// Everything that comes from one journal carries the run's key and that journal's rank, so that a journal
// which was replaced can be read anew. Doubles that may be NaN are kept as the integer of their bits.
// Keys of runs and series are never used again: who still holds one of a removed run must not meet another.
// A series whose run is NULL is waste, waiting to be swept away in short transactions.
// See [Note: how a series lies] for block, level and tail.
constexpr char kFirstSchema[] = R"(
CREATE TABLE run (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    project TEXT NOT NULL,
    notes TEXT NOT NULL,
    is_archived INTEGER NOT NULL,
    annotations_stamp TEXT NOT NULL
);
CREATE TABLE tag (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE attempt (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start_unix_ms INTEGER NOT NULL,
    ranks INTEGER NOT NULL,
    host TEXT NOT NULL,
    parent_checkpoint TEXT NOT NULL,
    parent_step INTEGER NOT NULL,
    name TEXT NOT NULL,
    project TEXT NOT NULL,
    total_steps INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE parameter (
    run INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, attempt, key),
    FOREIGN KEY (run, attempt) REFERENCES attempt ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE journal (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    ending BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    start_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (run, rank)
) WITHOUT ROWID;
CREATE TABLE progress (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    start_unix_ms INTEGER NOT NULL,
    host TEXT NOT NULL,
    last_step INTEGER NOT NULL,
    last_record_unix_ms INTEGER NOT NULL,
    loss_bits INTEGER,
    outcome TEXT NOT NULL,
    cause TEXT NOT NULL,
    PRIMARY KEY (run, attempt, rank)
) WITHOUT ROWID;
CREATE TABLE series (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER REFERENCES run ON DELETE SET NULL,
    attempt INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    metric TEXT NOT NULL,
    points INTEGER NOT NULL,
    first_step INTEGER NOT NULL,
    last_step INTEGER NOT NULL,
    last_bits INTEGER NOT NULL,
    non_finite INTEGER NOT NULL,
    is_sorted INTEGER NOT NULL,
    tail BLOB NOT NULL
);
CREATE UNIQUE INDEX series_by_name ON series (run, attempt, rank, metric);
CREATE TABLE block (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    number INTEGER NOT NULL,
    last_step INTEGER NOT NULL,
    points BLOB NOT NULL,
    PRIMARY KEY (series, number)
);
CREATE INDEX block_by_step ON block (series, last_step, number);
CREATE TABLE level (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    buckets BLOB NOT NULL,
    PRIMARY KEY (series, level, number)
);
CREATE TABLE checkpoint (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step INTEGER NOT NULL,
    path TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    unix_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    is_pinned INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (run, step)
) WITHOUT ROWID;
CREATE TABLE checkpoint_metric (
    run INTEGER NOT NULL,
    step INTEGER NOT NULL,
    name TEXT NOT NULL,
    value_bits INTEGER NOT NULL,
    PRIMARY KEY (run, step, name),
    FOREIGN KEY (run, step) REFERENCES checkpoint ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE sample (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    unix_ms INTEGER NOT NULL,
    file TEXT NOT NULL,
    prompt TEXT NOT NULL,
    seed INTEGER NOT NULL,
    guidance REAL NOT NULL,
    weights TEXT NOT NULL
);
CREATE INDEX sample_by_run ON sample (run, rank);
CREATE TABLE event (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    unix_ms INTEGER NOT NULL,
    level TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX event_by_time ON event (run, unix_ms, rank);
)";

constexpr std::array<const char*, 1> kMigrations {kFirstSchema};

void backUp(Database& database, const std::filesystem::path& file, std::size_t newVersion)
{
    std::string copy = file.string() + ".before-v" + std::to_string(newVersion);
    std::error_code ignored;
    std::filesystem::remove(copy, ignored);  // of a migration that did not come to its end
    database.query("VACUUM INTO ?").bind(copy).run();
}

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

void migrate(Database& database, const std::filesystem::path& file, std::span<const char* const> steps)
{
    const auto version = [&] { return static_cast<std::size_t>(database.pragma("user_version")); };
    const std::size_t found = version();
    if (found >= steps.size())
        return;
    if (found > 0)
        backUp(database, file, steps.size());
    WriteTransaction transaction(database);
    for (std::size_t next = version(); next < steps.size(); ++next) {
        database.execute(steps[next]);
        database.execute("PRAGMA user_version = " + std::to_string(next + 1));
    }
    database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    transaction.commit();
}

}  // namespace storage

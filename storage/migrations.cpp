#include "storage/migrations.h"

#include "storage/database_file.h"

#include <array>
#include <string>

namespace storage {
namespace {

// [Note: schema]
// All rows that come from one journal carry the run's key and the journal's rank, so that they can be deleted and read
// again when the journal was replaced. Doubles that may be NaN are stored as the integer of their bits.
// Keys of runs and series are never reused, so that code which still holds a key of a removed run cannot read another run.
// A series whose run is NULL is garbage; sweepGarbage() deletes it in short transactions.
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

// [Note: change notices]
// The table change has, for each run and each part of what the database knows of it (enum Part), a number that grows with every
// change of the whole database; run 0 stands for the removal of a run. Triggers keep it, so that no writer can forget to.
// A reader that remembers the highest number it has seen finds what has changed since, whichever process changed it.
constexpr char kChangeNotices[] = R"(
CREATE TABLE change (
    run INTEGER NOT NULL,
    part INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (run, part)
) WITHOUT ROWID;
CREATE INDEX change_by_number ON change (number);
INSERT INTO change (run, part, number) VALUES (0, 0, 1);

CREATE TRIGGER run_added AFTER INSERT ON run BEGIN
    INSERT INTO change VALUES (NEW.key, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER run_changed AFTER UPDATE ON run BEGIN
    INSERT INTO change VALUES (NEW.key, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER run_removed AFTER DELETE ON run BEGIN
    INSERT INTO change VALUES (0, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER tag_added AFTER INSERT ON tag BEGIN
    INSERT INTO change VALUES (NEW.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER tag_removed AFTER DELETE ON tag BEGIN
    INSERT INTO change VALUES (OLD.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER attempt_added AFTER INSERT ON attempt BEGIN
    INSERT INTO change VALUES (NEW.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER attempt_changed AFTER UPDATE ON attempt BEGIN
    INSERT INTO change VALUES (NEW.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER attempt_removed AFTER DELETE ON attempt BEGIN
    INSERT INTO change VALUES (OLD.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER progress_added AFTER INSERT ON progress BEGIN
    INSERT INTO change VALUES (NEW.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER progress_changed AFTER UPDATE ON progress BEGIN
    INSERT INTO change VALUES (NEW.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER progress_removed AFTER DELETE ON progress BEGIN
    INSERT INTO change VALUES (OLD.run, 0, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER series_added AFTER INSERT ON series WHEN NEW.run IS NOT NULL BEGIN
    INSERT INTO change VALUES (NEW.run, 1, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER series_changed AFTER UPDATE ON series WHEN OLD.run IS NOT NULL BEGIN
    INSERT INTO change VALUES (OLD.run, 1, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER sample_added AFTER INSERT ON sample BEGIN
    INSERT INTO change VALUES (NEW.run, 2, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER sample_removed AFTER DELETE ON sample BEGIN
    INSERT INTO change VALUES (OLD.run, 2, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER checkpoint_added AFTER INSERT ON checkpoint BEGIN
    INSERT INTO change VALUES (NEW.run, 3, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER checkpoint_changed AFTER UPDATE ON checkpoint BEGIN
    INSERT INTO change VALUES (NEW.run, 3, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER checkpoint_removed AFTER DELETE ON checkpoint BEGIN
    INSERT INTO change VALUES (OLD.run, 3, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER event_added AFTER INSERT ON event BEGIN
    INSERT INTO change VALUES (NEW.run, 4, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER event_removed AFTER DELETE ON event BEGIN
    INSERT INTO change VALUES (OLD.run, 4, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
)";

constexpr char kStandings[] = R"(
CREATE TABLE standing (
    sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
    round INTEGER NOT NULL,
    reward_bits INTEGER NOT NULL,
    prompt_reward_bits INTEGER NOT NULL,
    gold_reward_bits INTEGER,
    prompt_place INTEGER NOT NULL,
    prompts INTEGER NOT NULL,
    place INTEGER NOT NULL,
    samples INTEGER NOT NULL
);
)";

// [Note: values across runs]
// A column of the runs table shows one option or one metric of all runs, so parameters and series can be read by their name.
// The rows of one option lie side by side; parameter_key numbers the options in the order in which they were first seen.
// minimum_bits and maximum_bits are of the finite points, NaN when there are none, and NULL in series that an earlier version
// wrote: those are read from the pyramid.
constexpr char kValuesAcrossRuns[] = R"(
CREATE TABLE parameter_key (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO parameter_key (name) SELECT key FROM parameter GROUP BY key ORDER BY min(position), key;
ALTER TABLE parameter RENAME TO former_parameter;
CREATE TABLE parameter (
    key INTEGER NOT NULL REFERENCES parameter_key,
    run INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (key, run, attempt),
    FOREIGN KEY (run, attempt) REFERENCES attempt ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO parameter SELECT parameter_key.key, run, attempt, value FROM former_parameter
    JOIN parameter_key ON parameter_key.name = former_parameter.key ORDER BY 1, 2, 3;
DROP TABLE former_parameter;
CREATE INDEX parameter_by_attempt ON parameter (run, attempt);
ALTER TABLE series ADD COLUMN minimum_bits INTEGER;
ALTER TABLE series ADD COLUMN maximum_bits INTEGER;
CREATE INDEX series_by_metric ON series (metric, run);
)";

// NULL in journals without a pace record.
constexpr char kPaces[] = R"(
ALTER TABLE progress ADD COLUMN pace_step INTEGER;
ALTER TABLE progress ADD COLUMN pace_samples INTEGER;
ALTER TABLE progress ADD COLUMN pace_samples_per_step INTEGER;
ALTER TABLE progress ADD COLUMN pace_steps_per_epoch_bits INTEGER;
)";

// What the user has chosen of the line of a run, in the words of contract::RunLine. An earlier version has left it out of the
// annotations that it has read, so they are read again.
constexpr char kLines[] = R"(
ALTER TABLE run ADD COLUMN colour TEXT NOT NULL DEFAULT 'automatic';
ALTER TABLE run ADD COLUMN dash TEXT NOT NULL DEFAULT 'automatic';
ALTER TABLE run ADD COLUMN marker TEXT NOT NULL DEFAULT 'automatic';
UPDATE run SET annotations_stamp = '' WHERE annotations_stamp != '';
)";

// Which attempt wrote the checkpoint from which an attempt resumed; 0: not known. Attempts that an earlier version has read are read again.
// What is superseded follows from the attempts, so that they change series and checkpoints, too.
constexpr char kParentAttempts[] = R"(
ALTER TABLE attempt ADD COLUMN parent_attempt INTEGER NOT NULL DEFAULT 0;
UPDATE attempt SET stamp = '' WHERE number > 1;
CREATE TRIGGER history_extended AFTER INSERT ON attempt BEGIN
    INSERT INTO change VALUES (NEW.run, 1, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number;
    INSERT INTO change VALUES (NEW.run, 3, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
CREATE TRIGGER history_shortened AFTER DELETE ON attempt BEGIN
    INSERT INTO change VALUES (OLD.run, 1, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number;
    INSERT INTO change VALUES (OLD.run, 3, (SELECT max(number) + 1 FROM change))
        ON CONFLICT DO UPDATE SET number = excluded.number; END;
)";

constexpr std::array<const char*, 7> kMigrations {kFirstSchema, kChangeNotices, kStandings, kValuesAcrossRuns, kPaces, kLines, kParentAttempts};

void backUp(Database& database, const std::filesystem::path& file, std::size_t newVersion)
{
    std::string copy = file.string() + ".before-v" + std::to_string(newVersion);
    std::error_code ignored;
    std::filesystem::remove(copy, ignored);  // left by a migration that did not complete
    createPrivateFile(copy);  // SQLite would create it readable by everyone
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

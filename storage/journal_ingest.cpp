#include "storage/journal_ingest.h"

#include "engine/contract/formats/text.h"
#include "storage/garbage.h"
#include "storage/journal_batch.h"
#include "storage/journal_reader.h"
#include "storage/series_writer.h"

#include <algorithm>
#include <map>
#include <optional>

namespace storage {
namespace {

std::string damagedLinesText(std::int64_t lines)
{
    return std::to_string(lines) + (lines == 1 ? " damaged line was left out; its" : " damaged lines were left out; their") + " values are missing";
}

JournalPosition readPosition(Database& database, std::int64_t run, int rank)
{
    Query row = database.query(
        "SELECT offset, ending, attempt, start_unix_ms FROM journal WHERE run = ? AND rank = ?");
    if (!row.bind(run, rank).step())
        return {};
    return {row.integer(0), Bytes(row.blob(1)), static_cast<int>(row.integer(2)), row.integer(3)};
}

void writePosition(Database& database, std::int64_t run, int rank, const JournalPosition& position)
{
    database.query("INSERT OR REPLACE INTO journal (run, rank, offset, ending, attempt, start_unix_ms)"
                   " VALUES (?, ?, ?, ?, ?, ?)")
        .bind(run, rank, position.offset, std::span<const char>(position.ending), position.attempt,
            position.startUnixMs)
        .run();
}

void writeProgress(Database& database, std::int64_t run, int rank, const ProgressBatch& progress)
{
    std::optional<std::int64_t> loss;
    if (progress.loss)
        loss.emplace(bitsOf(*progress.loss));
    std::optional<std::int64_t> paceStep, paceSamples, paceSamplesPerStep, paceStepsPerEpoch;
    if (const std::optional<Pace>& pace = progress.pace) {
        paceStep = pace->step;
        paceSamples = pace->samples;
        paceSamplesPerStep = pace->samplesPerStep;
        paceStepsPerEpoch = bitsOf(pace->stepsPerEpoch);
    }
    database.query("INSERT INTO progress (run, attempt, rank, start_unix_ms, host, last_step,"
                   " last_record_unix_ms, loss_bits, outcome, cause, pace_step, pace_samples, pace_samples_per_step,"
                   " pace_steps_per_epoch_bits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                   " ON CONFLICT DO UPDATE SET"
                   " host = CASE excluded.host WHEN '' THEN host ELSE excluded.host END,"
                   " last_step = max(last_step, excluded.last_step),"
                   " last_record_unix_ms = max(last_record_unix_ms, excluded.last_record_unix_ms),"
                   " loss_bits = coalesce(excluded.loss_bits, loss_bits),"
                   " pace_step = coalesce(excluded.pace_step, pace_step),"
                   " pace_samples = coalesce(excluded.pace_samples, pace_samples),"
                   " pace_samples_per_step = coalesce(excluded.pace_samples_per_step, pace_samples_per_step),"
                   " pace_steps_per_epoch_bits = coalesce(excluded.pace_steps_per_epoch_bits, pace_steps_per_epoch_bits),"
                   " cause = CASE excluded.outcome WHEN '' THEN cause ELSE excluded.cause END,"
                   " outcome = CASE excluded.outcome WHEN '' THEN outcome ELSE excluded.outcome END")
        .bind(run, progress.attempt, rank, progress.startUnixMs, progress.host, progress.lastStep,
            progress.lastRecordUnixMs, loss, progress.outcome, progress.cause, paceStep, paceSamples, paceSamplesPerStep, paceStepsPerEpoch)
        .run();
}

void writeEvent(Database& database, std::int64_t run, const EventRow& event)
{
    database.query("INSERT INTO event (run, rank, attempt, step, unix_ms, level, kind, message)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, event.rank, event.attempt, event.step, event.unixMs, event.level, event.kind,
            event.message)
        .run();
}

void writeSample(Database& database, std::int64_t run, int rank, const SampleRow& sample)
{
    database.query("INSERT INTO sample (run, rank, attempt, step, unix_ms, file, prompt, seed, guidance,"
                   " weights) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, rank, sample.attempt, sample.step, sample.unixMs, sample.file, sample.prompt,
            sample.seed, sample.guidance, sample.weights)
        .run();
    if (!sample.standing)
        return;
    const Standing& standing = *sample.standing;
    std::optional<std::int64_t> gold;
    if (standing.goldReward)
        gold = bitsOf(*standing.goldReward);
    database.query("INSERT INTO standing (sample, round, reward_bits, prompt_reward_bits, gold_reward_bits, prompt_place, prompts, place,"
                   " samples) VALUES (last_insert_rowid(), ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(standing.round, bitsOf(standing.reward), bitsOf(standing.promptReward), gold, standing.promptPlace, standing.prompts,
            standing.place, standing.samples)
        .run();
}

/// Adds to the attempt's event that says how many lines of the journal are damaged.
void writeDamage(Database& database, std::int64_t run, int rank, const DamageBatch& damage)
{
    const std::string kind = "damaged_lines";
    std::int64_t lines = damage.lines, step = damage.step;
    std::optional<std::int64_t> known;
    {
        Query row = database.query("SELECT last_step FROM progress WHERE run = ? AND attempt = ? AND rank = ?");
        if (row.bind(run, damage.attempt, rank).step())
            step = std::max(step, row.integer(0));  // of the records that were read earlier
    }
    {
        Query row = database.query("SELECT key, message FROM event WHERE run = ? AND rank = ? AND attempt = ? AND kind = ?");
        if (row.bind(run, rank, damage.attempt, kind).step()) {
            known = row.integer(0);
            const std::string message = row.text(1);  // begins with the number of lines so far
            lines += contract::parseInteger(message.substr(0, message.find(' '))).value_or(0);
        }
    }
    if (known)
        database.query("DELETE FROM event WHERE key = ?").bind(*known).run();
    writeEvent(database, run, {.attempt = damage.attempt, .rank = rank, .step = step, .unixMs = damage.unixMs,
        .level = "warning", .kind = kind, .message = damagedLinesText(lines)});
}

/// How many metrics the journal may still add in an attempt.
std::int64_t roomForSeries(Database& database, std::int64_t run, int attempt, int rank)
{
    Query row = database.query("SELECT count(*) FROM series WHERE run = ? AND attempt = ? AND rank = ?");
    row.bind(run, attempt, rank).step();
    return static_cast<std::int64_t>(JournalBatch::kMostMetrics) - row.integer(0);
}

/// @return false when some metrics were left out because there are too many.
bool writeSeries(Database& database, std::int64_t run, int rank, const JournalBatch& batch)
{
    bool areAllWritten = true;
    std::map<int, std::int64_t> room;  // by attempt
    for (const SeriesBatch& series : batch.series()) {
        if (series.points.empty())
            continue;
        if (!room.contains(series.attempt))
            room[series.attempt] = roomForSeries(database, run, series.attempt, rank);
        if (!appendPoints(database, {run, series.attempt, rank, series.metric}, series.points, room[series.attempt]))
            areAllWritten = false;
    }
    return areAllWritten;
}

bool writeBatch(Database& database, std::int64_t run, int rank, const JournalBatch& batch)
{
    const bool areAllWritten = writeSeries(database, run, rank, batch);
    for (const DamageBatch& damage : batch.damage())
        writeDamage(database, run, rank, damage);
    for (const ProgressBatch& progress : batch.progress())
        writeProgress(database, run, rank, progress);
    for (const EventRow& event : batch.events())
        writeEvent(database, run, event);
    for (const SampleRow& sample : batch.samples())
        writeSample(database, run, rank, sample);
    return areAllWritten && !batch.hasTooManyMetrics();
}

enum class Commit {
    Whole,
    WithoutSomeMetrics,  ///< there are too many metrics
    None,                ///< nothing was written: another process has changed the stored position since it was read
};

/// @param known the stored position as it was read
Commit commitBatch(Database& database, std::int64_t run, int rank, const JournalBatch& batch,
    const JournalPosition& known, const JournalPosition& next)
{
    WriteTransaction transaction(database);
    if (readPosition(database, run, rank) != known)
        return Commit::None;
    const bool isWhole = writeBatch(database, run, rank, batch);
    writePosition(database, run, rank, next);
    transaction.commit();
    return isWhole ? Commit::Whole : Commit::WithoutSomeMetrics;
}

/// Deletes all rows that come from the journal, unless another process has changed the stored position since @p known.
void forget(Database& database, std::int64_t run, int rank, const JournalPosition& known)
{
    WriteTransaction transaction(database);
    if (readPosition(database, run, rank) != known)
        return;
    for (const char* sql : {"UPDATE series SET run = NULL WHERE run = ? AND rank = ?",
             "DELETE FROM progress WHERE run = ? AND rank = ?", "DELETE FROM event WHERE run = ? AND rank = ?",
             "DELETE FROM sample WHERE run = ? AND rank = ?", "DELETE FROM journal WHERE run = ? AND rank = ?"})
        database.query(sql).bind(run, rank).run();
    transaction.commit();
}

/// Reads the journal to its end. @return nullopt when the caller must retry from the position that is now stored.
std::optional<Ingest::Result> follow(
    Database& database, std::int64_t run, int rank, const std::filesystem::path& file)
{
    JournalPosition known = readPosition(database, run, rank);
    JournalReader reader(file, known);
    if (reader.isReplaced()) {
        forget(database, run, rank, known);
        sweepGarbage(database);
        return {};
    }
    Ingest::Result result;
    contract::JournalParser parser;
    JournalBatch batch(rank, known.attempt, known.startUnixMs);
    const auto addLine = [&](std::string_view line) {
        if (!line.empty())
            batch.add(parser.parse(line));
    };
    bool isWhole = true;
    while (reader.readLines(addLine)) {
        JournalPosition next {reader.offset(), reader.ending(), batch.attempt(), batch.startUnixMs()};
        const Commit commit = commitBatch(database, run, rank, batch, known, next);
        if (commit == Commit::None)
            return {};
        isWhole = isWhole && commit == Commit::Whole;
        result.values += batch.values();
        result.malformedLines += batch.malformedLines();
        known = std::move(next);
        batch.clear();
    }
    if (result.malformedLines > 0)
        result.problems.push_back(file.string() + ": " + damagedLinesText(result.malformedLines));
    if (!isWhole)
        result.problems.push_back(file.string() + ": has more than " + std::to_string(JournalBatch::kMostMetrics)
            + " metrics; those beyond are left out");
    return result;
}

}  // namespace

Ingest::Result ingestJournal(
    Database& database, std::int64_t run, int rank, const std::filesystem::path& file)
{
    for (;;)
        if (const auto result = follow(database, run, rank, file))
            return *result;
}

void forgetJournalsExcept(Database& database, std::int64_t run, const std::vector<int>& ranks)
{
    std::vector<int> gone;
    {
        Query row = database.query("SELECT rank FROM journal WHERE run = ?");
        row.bind(run);
        while (row.step())
            if (const int rank = static_cast<int>(row.integer(0)); std::ranges::find(ranks, rank) == ranks.end())
                gone.push_back(rank);
    }
    for (const int rank : gone)
        forget(database, run, rank, readPosition(database, run, rank));
    if (!gone.empty())
        sweepGarbage(database);
}

}  // namespace storage

#include "storage/run_queries.h"

#include "engine/contract/run/journal.h"

#include <algorithm>
#include <limits>

namespace storage {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

/// A range of run keys: all runs, or one.
struct KeyRange {
    std::int64_t first = Limits::min();
    std::int64_t last = Limits::max();
};

/// An attempt, as described by its folder and by the journals.
struct Attempt {
    AttemptRow row;
    std::string name;
    std::string project;
    std::int64_t totalSteps = 0;
    std::int64_t lastRecordUnixMs = 0;
    std::optional<double> loss;
};
using Attempts = std::map<int, Attempt>;  ///< by number

void readStarts(Database& database, KeyRange keys, std::map<std::int64_t, Attempts>& attempts)
{
    Query row = database.query("SELECT run, number, start_unix_ms, ranks, host, parent_checkpoint, parent_step,"
                               " name, project, total_steps, parent_attempt FROM attempt WHERE run BETWEEN ? AND ?");
    row.bind(keys.first, keys.last);
    while (row.step()) {
        const int number = static_cast<int>(row.integer(1));
        Attempt& attempt = attempts[row.integer(0)][number];
        attempt.row = {.number = number,
            .startUnixMs = row.integer(2),
            .ranksStartUnixMs = 0,
            .hostStartUnixMs = 0,
            .ranks = static_cast<int>(row.integer(3)),
            .host = row.text(4),
            .parentCheckpoint = row.text(5),
            .parentStep = row.integer(6),
            .parent = static_cast<int>(row.integer(10)),
            .lastStep = 0,
            .outcome = {},
            .cause = {},
            .pace = {}};
        attempt.name = row.text(7);
        attempt.project = row.text(8);
        attempt.totalSteps = row.integer(9);
    }
}

/// Rows are ordered by rank, the supervisor (-1) first: its outcome has priority over that of rank 0.
void addProgress(const Query& row, Attempts& attempts)
{
    const int number = static_cast<int>(row.integer(1));
    const std::int64_t rank = row.integer(2);
    const auto [found, isUnknown] = attempts.try_emplace(number);
    Attempt& attempt = found->second;
    if (isUnknown) {  // its start.json is gone, so the journal is the only source
        attempt.row.number = number;
        attempt.row.startUnixMs = row.integer(3);
        attempt.row.host = row.text(4);
    }
    attempt.row.lastStep = std::max(attempt.row.lastStep, row.integer(5));
    if (rank == 0)
        attempt.row.ranksStartUnixMs = row.integer(3);
    if (rank == contract::kHostRank)
        attempt.row.hostStartUnixMs = row.integer(3);
    if (rank <= 0 || attempt.lastRecordUnixMs == 0)  // the clocks of other hosts may be wrong
        attempt.lastRecordUnixMs = std::max(attempt.lastRecordUnixMs, row.integer(6));
    if (rank == 0 && !row.isNull(7))
        attempt.loss = row.bits(7);
    if (rank == 0 && !row.isNull(10))
        attempt.row.pace = {row.integer(10), row.integer(11), row.integer(12), row.bits(13)};
    if (rank <= 0 && attempt.row.outcome.empty()) {
        attempt.row.outcome = row.text(8);
        attempt.row.cause = row.text(9);
    }
}

std::map<std::int64_t, Attempts> readAllAttempts(Database& database, KeyRange keys)
{
    std::map<std::int64_t, Attempts> attempts;
    readStarts(database, keys, attempts);
    Query row = database.query("SELECT run, attempt, rank, start_unix_ms, host, last_step, last_record_unix_ms,"
                               " loss_bits, outcome, cause, pace_step, pace_samples, pace_samples_per_step,"
                               " pace_steps_per_epoch_bits FROM progress WHERE run BETWEEN ? AND ?"
                               " ORDER BY run, attempt, rank");
    row.bind(keys.first, keys.last);
    while (row.step())
        addProgress(row, attempts[row.integer(0)]);
    return attempts;
}

std::map<std::int64_t, std::vector<std::string>> readTags(Database& database, KeyRange keys)
{
    std::map<std::int64_t, std::vector<std::string>> tags;
    Query row = database.query("SELECT run, name FROM tag WHERE run BETWEEN ? AND ? ORDER BY run, position");
    row.bind(keys.first, keys.last);
    while (row.step())
        tags[row.integer(0)].push_back(row.text(1));
    return tags;
}

void describe(const Attempts& attempts, RunRow& run)
{
    if (attempts.empty())
        return;
    const Attempt& last = attempts.rbegin()->second;
    run.createdUnixMs = attempts.begin()->second.row.startUnixMs;
    run.startedUnixMs = attempts.begin()->second.row.ranksStartUnixMs;
    run.attempts = static_cast<int>(attempts.size());
    run.ranks = last.row.ranks;
    run.totalSteps = last.totalSteps;
    run.lastStep = last.row.lastStep;
    run.lastRecordUnixMs = last.lastRecordUnixMs;
    run.lastLoss = last.loss;
    run.outcome = last.row.outcome;
    run.cause = last.row.cause;
    if (run.name.empty())
        run.name = last.name;
    if (run.project.empty())
        run.project = last.project;
}

std::vector<contract::Descent> descentsOf(const Attempts& attempts)
{
    std::vector<contract::Descent> descents;
    for (const auto& [number, attempt] : attempts)
        descents.push_back({.attempt = number, .parentStep = attempt.row.parentStep, .parent = attempt.row.parent, .lastStep = attempt.row.lastStep});
    return descents;
}

}  // namespace

std::int64_t beginUnixMs(const AttemptRow& attempt, int rank)
{
    if (rank == contract::kHostRank && attempt.hostStartUnixMs > 0)
        return attempt.hostStartUnixMs;
    return attempt.ranksStartUnixMs > 0 ? attempt.ranksStartUnixMs : attempt.startUnixMs;
}

std::int64_t waitedMs(const AttemptRow& attempt)
{
    constexpr std::int64_t kLongestStartMs = 15'000;
    const std::int64_t waited = attempt.startUnixMs > 0 ? beginUnixMs(attempt) - attempt.startUnixMs : 0;
    return waited > kLongestStartMs ? waited : 0;
}

std::int64_t keyOf(Database& database, const std::string& runId)
{
    Query row = database.query("SELECT key FROM run WHERE id = ?");
    return row.bind(runId).step() ? row.integer(0) : -1;
}

contract::Lineage readLineage(Database& database, std::int64_t run)
{
    return contract::lineageOf(descentsOf(readAllAttempts(database, {run, run})[run]));
}

std::int64_t lastValidStep(const contract::Lineage& lineage, int attempt, int rank)
{
    if (rank == contract::kHostRank)
        return Limits::max();
    const auto found = lineage.find(attempt);
    return found == lineage.end() ? Limits::min() : found->second;
}

std::vector<RunRow> readRuns(Database& database, const std::optional<std::string>& id)
{
    KeyRange keys;
    if (id)
        keys.first = keys.last = keyOf(database, *id);
    const auto attempts = readAllAttempts(database, keys);
    auto tags = readTags(database, keys);

    std::vector<RunRow> runs;
    Query row = database.query(
        "SELECT key, id, folder, name, project, notes, is_archived, colour, dash, marker FROM run WHERE key BETWEEN ? AND ?");
    row.bind(keys.first, keys.last);
    while (row.step()) {
        RunRow run;
        run.id = row.text(1);
        run.folder = row.text(2);
        run.name = row.text(3);
        run.project = row.text(4);
        run.notes = row.text(5);
        run.isArchived = row.integer(6) != 0;
        contract::setColour(run.line, row.text(7));
        contract::setDash(run.line, row.text(8));
        contract::setMarker(run.line, row.text(9));
        run.tags = std::move(tags[row.integer(0)]);
        if (const auto found = attempts.find(row.integer(0)); found != attempts.end())
            describe(found->second, run);
        if (run.name.empty())
            run.name = run.id;
        runs.push_back(std::move(run));
    }
    std::ranges::sort(runs, [](const RunRow& a, const RunRow& b) {
        return a.createdUnixMs != b.createdUnixMs ? a.createdUnixMs > b.createdUnixMs : a.id > b.id;
    });
    return runs;
}

std::vector<AttemptRow> readAttempts(Database& database, const std::string& runId)
{
    const std::int64_t key = keyOf(database, runId);
    std::vector<AttemptRow> rows;
    auto attempts = readAllAttempts(database, {key, key});
    const auto descents = descentsOf(attempts[key]);
    for (const contract::Descent& descent : descents) {
        rows.push_back(std::move(attempts[key].at(descent.attempt).row));
        rows.back().parent = contract::parentOf(descent, descents);
    }
    return rows;
}

std::vector<ParameterRow> readParameters(Database& database, const std::string& runId, int attempt)
{
    std::vector<ParameterRow> rows;
    Query row = database.query(
        "SELECT name, value FROM parameter JOIN parameter_key ON parameter_key.key = parameter.key"
        " WHERE run = ? AND attempt = ? ORDER BY parameter.key");
    row.bind(keyOf(database, runId), attempt);
    while (row.step())
        rows.push_back({row.text(0), row.text(1)});
    return rows;
}

namespace {

/// A resumed attempt may record again what was recorded at the step that it went on from: the numbers of a round that both have begun there.
/// @param rows ordered by metric, rank and attempt
void supersedeRepeated(std::vector<SeriesRow>& rows, const contract::Lineage& lineage)
{
    for (std::size_t at = 1; at < rows.size(); ++at) {
        const SeriesRow& later = rows[at];
        if (later.rank < 0 || !lineage.contains(later.attempt))
            continue;
        for (std::size_t before = at; before-- > 0 && rows[before].metric == later.metric && rows[before].rank == later.rank;) {
            SeriesRow& earlier = rows[before];
            if (std::min(earlier.lastStep, earlier.supersededAfter.value_or(earlier.lastStep)) >= later.firstStep)
                earlier.supersededAfter = later.firstStep - 1;
        }
    }
}

}  // namespace

std::vector<SeriesRow> readSeries(Database& database, const std::string& runId)
{
    const std::int64_t key = keyOf(database, runId);
    const contract::Lineage lineage = readLineage(database, key);
    std::vector<SeriesRow> rows;
    Query row = database.query("SELECT key, metric, rank, attempt, points, first_step, last_step, last_bits,"
                               " non_finite FROM series WHERE run = ? ORDER BY metric, rank, attempt");
    row.bind(key);
    while (row.step()) {
        SeriesRow series {.id = row.integer(0),
            .metric = row.text(1),
            .rank = static_cast<int>(row.integer(2)),
            .attempt = static_cast<int>(row.integer(3)),
            .points = row.integer(4),
            .firstStep = row.integer(5),
            .lastStep = row.integer(6),
            .last = row.bits(7),
            .nonFinite = row.integer(8),
            .supersededAfter = {}};
        if (const std::int64_t last = lastValidStep(lineage, series.attempt, series.rank); series.lastStep > last)
            series.supersededAfter = last;
        rows.push_back(std::move(series));
    }
    supersedeRepeated(rows, lineage);
    return rows;
}

std::vector<CheckpointRow> readCheckpoints(Database& database, const std::string& runId)
{
    const std::int64_t key = keyOf(database, runId);
    const contract::Lineage lineage = readLineage(database, key);
    std::vector<CheckpointRow> rows;
    Query row = database.query("SELECT step, path, attempt, unix_ms, bytes, is_pinned FROM checkpoint"
                               " WHERE run = ? ORDER BY step");
    row.bind(key);
    while (row.step()) {
        CheckpointRow checkpoint {.step = row.integer(0),
            .path = row.text(1),
            .attempt = static_cast<int>(row.integer(2)),
            .unixMs = row.integer(3),
            .bytes = row.integer(4),
            .isPinned = row.integer(5) != 0,
            .isAbandoned = false,
            .metrics = {}};
        checkpoint.isAbandoned = !contract::belongs(lineage, checkpoint.attempt, checkpoint.step);
        Query metric = database.query(
            "SELECT name, value_bits FROM checkpoint_metric WHERE run = ? AND step = ? ORDER BY name");
        metric.bind(key, checkpoint.step);
        while (metric.step())
            checkpoint.metrics.emplace_back(metric.text(0), metric.bits(1));
        rows.push_back(std::move(checkpoint));
    }
    return rows;
}

namespace {

/// What readSamples() has joined to a sample.
std::optional<Standing> standingOf(const Query& row)
{
    if (row.isNull(8))
        return {};
    Standing standing {.round = row.integer(8),
        .reward = row.bits(9),
        .promptReward = row.bits(10),
        .goldReward = {},
        .promptPlace = row.integer(12),
        .prompts = row.integer(13),
        .place = row.integer(14),
        .samples = row.integer(15)};
    if (!row.isNull(11))
        standing.goldReward = row.bits(11);
    return standing;
}

}  // namespace

std::vector<SampleRow> readSamples(Database& database, const std::string& runId)
{
    std::vector<SampleRow> rows;
    Query row = database.query("SELECT step, attempt, file, prompt, seed, guidance, weights, unix_ms, standing.round, reward_bits,"
                               " prompt_reward_bits, gold_reward_bits, prompt_place, prompts, place, samples FROM sample"
                               " LEFT JOIN standing ON standing.sample = sample.key WHERE run = ? ORDER BY step, attempt, rank, key");
    const std::int64_t key = keyOf(database, runId);
    const contract::Lineage lineage = readLineage(database, key);
    row.bind(key);
    while (row.step()) {
        SampleRow& sample = rows.emplace_back(SampleRow {.step = row.integer(0),
            .attempt = static_cast<int>(row.integer(1)),
            .file = row.text(2),
            .prompt = row.text(3),
            .seed = row.integer(4),
            .guidance = row.real(5),
            .weights = row.text(6),
            .unixMs = row.integer(7),
            .standing = standingOf(row)});
        sample.isSuperseded = !contract::belongs(lineage, sample.attempt, sample.step);
    }
    return rows;
}

std::int64_t countCheckpoints(Database& database, const std::string& runId)
{
    Query row = database.query("SELECT count(*) FROM checkpoint WHERE run = ?");
    return row.bind(keyOf(database, runId)).step() ? row.integer(0) : 0;
}

std::int64_t countSamples(Database& database, const std::string& runId)
{
    Query row = database.query("SELECT count(*) FROM sample WHERE run = ?");
    return row.bind(keyOf(database, runId)).step() ? row.integer(0) : 0;
}

std::string folderOfSeveralHosts(Database& database, const std::string& runId)
{
    Query row = database.query("SELECT folder FROM run WHERE id = ? AND"
                               " (SELECT COUNT(DISTINCT host) FROM progress WHERE progress.run = run.key AND host <> '') > 1");
    row.bind(runId);
    return row.step() ? row.text(0) : std::string();
}

std::vector<EventRow> readEvents(Database& database, const std::string& runId, int limit, bool isOfEachRank)
{
    std::vector<EventRow> rows;
    Query row = database.query(isOfEachRank
            ? "SELECT attempt, rank, step, unix_ms, level, kind, message FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY rank"
              " ORDER BY unix_ms DESC, key DESC) AS place FROM event WHERE run = ?1) WHERE place <= ?2 ORDER BY unix_ms DESC, rank DESC, key DESC"
            : "SELECT attempt, rank, step, unix_ms, level, kind, message FROM event"
              " WHERE run = ?1 ORDER BY unix_ms DESC, rank DESC, key DESC LIMIT ?2");
    row.bind(keyOf(database, runId), std::max(limit, 0));
    while (row.step())
        rows.push_back({.attempt = static_cast<int>(row.integer(0)),
            .rank = static_cast<int>(row.integer(1)),
            .step = row.integer(2),
            .unixMs = row.integer(3),
            .level = row.text(4),
            .kind = row.text(5),
            .message = row.text(6)});
    std::ranges::reverse(rows);
    return rows;
}

}  // namespace storage

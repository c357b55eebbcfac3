// The SQLite index of all runs. The run folders are authoritative; the index can be rebuilt from them at any time. SQL is
// used in this folder only.
//
// Threads: a Store belongs to the thread that opened it; open one per thread. Several processes may
// have the same database open; every write is a short transaction (≤ 20 ms) with a busy timeout.
#pragma once
#include "engine/contract/run/run_line.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace storage {

/// An error of the database, as one sentence that says what to do.
class StoreError : public std::runtime_error {
public:
    enum class Kind {
        Corrupt,   ///< not a database, or damaged: `atelier reindex` builds a new one from the run folders
        Newer,     ///< written by a newer version of Atelier; left untouched
        Locked,    ///< busy for longer than the timeout
        ReadOnly,  ///< the file or its folder cannot be written
        DiskFull,
        Other,
    };
    StoreError(Kind kind, const std::string& message)
        : std::runtime_error(message)
        , m_kind(kind)
    {
    }
    Kind kind() const { return m_kind; }

private:
    Kind m_kind;
};

struct RunRow {
    std::string id;
    std::string folder;
    std::string name;      ///< from the annotations, else run.name, else the id
    std::string project;
    std::vector<std::string> tags;
    std::string notes;
    bool isArchived = false;
    contract::RunLine line = {};
    std::int64_t createdUnixMs = 0;  ///< when the first attempt was prepared
    std::int64_t startedUnixMs = 0;  ///< when its ranks started; 0: not yet, or not known
    int attempts = 0;
    int ranks = 0;                  ///< of the last attempt
    std::int64_t totalSteps = 0;    ///< run.total_steps of the last attempt
    std::int64_t lastStep = 0;      ///< highest step journalled in the last attempt
    std::int64_t lastRecordUnixMs = 0;
    std::optional<double> lastLoss;
    std::string outcome;  ///< of the last attempt's end record: finished, stopped or failed; empty without one
    std::string cause;    ///< of the end record; may be empty
};

/// How an attempt's steps count in samples: it had seen `samples` by `step`, and sees samplesPerStep more in each further step.
struct Pace {
    std::int64_t step = 0;
    std::int64_t samples = 0;
    std::int64_t samplesPerStep = 1;
    double stepsPerEpoch = 0;  ///< 0: there are no epochs
    auto operator<=>(const Pace&) const = default;
};

struct AttemptRow {
    int number = 1;
    std::int64_t startUnixMs = 0;       ///< when it was prepared; it may have waited in a queue since
    std::int64_t ranksStartUnixMs = 0;  ///< when rank 0 started; 0: not yet, or not known
    std::int64_t hostStartUnixMs = 0;   ///< when the journal of the machine began; 0: not yet, or there is none
    int ranks = 0;
    std::string host;
    std::string parentCheckpoint;
    std::int64_t parentStep = 0;
    int parent = 0;  ///< the attempt that it goes on from, see contract::parentOf(); 0: none
    std::int64_t lastStep = 0;
    std::string outcome;
    std::string cause;
    std::optional<Pace> pace;  ///< nullopt before the first step, and in imported runs
};

/// When the ranks started, or when the attempt was prepared where that is not known: Point::tMs counts from then. Of the machine's own
/// journal (contract::kHostRank), when that began.
std::int64_t beginUnixMs(const AttemptRow& attempt, int rank = 0);
/// How long it had waited until then, in a queue or for somebody who started it, in milliseconds; 0 when that was no longer than a start takes.
std::int64_t waitedMs(const AttemptRow& attempt);

/// A series: one metric of one rank in one attempt.
struct SeriesRow {
    std::int64_t id = 0;
    std::string metric;
    int rank = 0;
    int attempt = 1;
    std::int64_t points = 0;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    std::optional<double> last;
    std::int64_t nonFinite = 0;  ///< how many points are NaN or infinite
    /// The last step of this series in the history of the last attempt (contract::lineageOf()): later points are superseded. Lower than
    /// any step when all of them are; nullopt when none are.
    std::optional<std::int64_t> supersededAfter;
};

/// The largest of all ranks' last values of @p metric in the newest attempt that has it, superseded or not; 0 when there is none.
double largestLast(const std::vector<SeriesRow>& series, std::string_view metric);

struct Point {
    std::int64_t step = 0;
    double tMs = 0;    ///< milliseconds since beginUnixMs()
    double value = 0;  ///< may be non-finite
};

/// A summary of consecutive points: minimum, maximum and last value of the finite ones.
struct Bucket {
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    double firstTMs = 0;
    double lastTMs = 0;
    std::int64_t count = 0;      ///< points, non-finite ones included
    std::int64_t nonFinite = 0;
    double minimum = 0;          ///< this, maximum and last are NaN when no point is finite
    double maximum = 0;
    double last = 0;
    std::optional<std::int64_t> firstNonFiniteStep;
};

struct SeriesRange {
    /// True: `points` holds every point of the range. False: `buckets` summarises them.
    bool isExact = true;
    std::vector<Point> points;
    std::vector<Bucket> buckets;
    std::int64_t totalPoints = 0;  ///< number of points in the range
};

struct CheckpointRow {
    std::int64_t step = 0;
    std::string path;  ///< relative to the run's folder
    int attempt = 1;
    std::int64_t unixMs = 0;
    std::int64_t bytes = 0;
    bool isPinned = false;
    bool isAbandoned = false;  ///< not in the history of the last attempt, so it would not go on from here
    std::vector<std::pair<std::string, double>> metrics;  ///< values at that step, sorted by name
};

/// How a sample fared among the samples of its round, in training by a reward.
struct Standing {
    std::int64_t round = 1;   ///< the first one is 1
    double reward = 0;        ///< this, promptReward and goldReward may be non-finite
    double promptReward = 0;  ///< mean over the samples of its prompt
    std::optional<double> goldReward;  ///< the watched reward, if there is one
    std::int64_t promptPlace = 1;      ///< of its prompt among the prompts of the round, by the mean reward; 1 is the best
    std::int64_t prompts = 1;          ///< of the round
    std::int64_t place = 1;            ///< among the samples of its prompt; 1 is the best
    std::int64_t samples = 1;          ///< of its prompt
};

struct SampleRow {
    std::int64_t step = 0;
    int attempt = 1;
    std::string file;    ///< relative to the run's folder
    std::string prompt;
    std::int64_t seed = 0;
    double guidance = 1;
    std::string weights;  ///< "ema" or "model"; empty for samples of a round
    std::int64_t unixMs = 0;
    std::optional<Standing> standing = {};  ///< of samples of a round
    bool isSuperseded = false;  ///< a later attempt began before this step
};

struct EventRow {
    int attempt = 1;
    int rank = 0;  ///< -1: the supervisor
    std::int64_t step = 0;
    std::int64_t unixMs = 0;
    std::string level;
    std::string kind;
    std::string message;
};

/// Something in a run that people want to know of, wherever they look.
struct AlertRow {
    enum class Kind {
        Finished,    ///< the attempt's end
        Failed,      ///< the same
        NoEnd,       ///< the attempt has no end record: it runs, or was interrupted. Only the run's state tells which
        Restarting,  ///< the ranks have failed and are started again (launch.restarts)
        Stalled,
        Rule,        ///< a rule of the experiment has fired, such as the one that is there by default: loss is not finite
        DiskLow,
        NotSaved,    ///< a checkpoint could not be written
        NotStarted,  ///< of the queue, which the store does not know: the run could not be started
        QueueHeld,   ///< the same: the runs that wait are held because this one has failed
    };
    std::string run;  ///< id
    int attempt = 1;
    std::int64_t step = 0;    ///< 0 for a stall and a low disk, which belong to no step
    std::int64_t unixMs = 0;  ///< of NoEnd: of the last record
    Kind kind = Kind::Finished;
    std::string message;  ///< the cause, or what has happened; may be empty
    bool operator==(const AlertRow&) const = default;
};

struct ParameterRow {
    std::string key;
    std::string value;
    bool operator==(const ParameterRow&) const = default;
};

/// What may be asked of many runs at once: the value of an option, or a number that stands for a metric.
struct RunField {
    enum class Kind {
        Parameter,  ///< of the last attempt that has it
        Last,       ///< the last value of the metric
        Lowest,     ///< the lowest of its finite values
        Highest,
    };
    Kind kind = Kind::Parameter;
    std::string name;  ///< the option's key or the metric
    auto operator<=>(const RunField&) const = default;
};

/// Metrics are those of rank 0, or of the lowest rank that has the metric. Superseded points do not count.
struct RunValue {
    std::string run;    ///< id
    std::string text;   ///< of a parameter
    double number = 0;  ///< of a metric; may be non-finite
    std::int64_t step = 0;  ///< of the last value of a metric
};

/// The names that the runs in the database have for RunField.
struct FieldNames {
    std::vector<std::string> parameters;  ///< in the order in which they were first seen
    std::vector<std::string> metrics;     ///< in alphabetical order
    bool operator==(const FieldNames&) const = default;
};

/// The parts of what the database knows of a run. The values are stored, see [Note: change notices].
enum class Part {
    Run = 0,          ///< RunRow, AttemptRow, ParameterRow
    Series = 1,       ///< SeriesRow and points
    Samples = 2,      ///< SampleRow
    Checkpoints = 3,  ///< CheckpointRow
    Events = 4,       ///< EventRow
};

/// What any process has changed in the database since an earlier moment.
struct Changes {
    std::int64_t position = 0;  ///< for the next call of changesSince()
    bool isUnknown = true;      ///< anything may have changed: there was no earlier moment, or the database was replaced
    bool isRunRemoved = false;
    std::vector<std::pair<std::string, Part>> parts;  ///< of runs, by their ids

    bool concerns(const std::string& runId, const std::vector<Part>& anyOf) const;
};

class Store {
public:
    enum class Open { ReadWrite, ReadOnly };

    /// Opens the database. With ReadWrite, creates it when it is missing and migrates an older one, after a backup next to
    /// it. @throws StoreError.
    explicit Store(const std::filesystem::path& database, Open mode = Open::ReadWrite);
    ~Store();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;

    // All queries throw StoreError.
    std::vector<RunRow> runs() const;  ///< newest first, archived ones too
    std::optional<RunRow> run(const std::string& id) const;
    std::vector<AttemptRow> attempts(const std::string& runId) const;
    std::vector<ParameterRow> parameters(const std::string& runId, int attempt) const;
    std::vector<SeriesRow> series(const std::string& runId) const;
    std::vector<CheckpointRow> checkpoints(const std::string& runId) const;  ///< by step
    std::vector<SampleRow> samples(const std::string& runId) const;          ///< by step
    std::int64_t checkpointCount(const std::string& runId) const;
    std::int64_t sampleCount(const std::string& runId) const;
    /// The value of @p field for @p runId, or for every run when it is empty; runs without a value are left out.
    std::vector<RunValue> values(const RunField& field, const std::string& runId = {}) const;
    FieldNames fieldNames() const;
    /// The last @p limit events, newest last.
    std::vector<EventRow> events(const std::string& runId, int limit) const;
    /// The newest @p limit alerts of a run, or of all runs when @p runId is empty; newest first.
    std::vector<AlertRow> alerts(const std::string& runId, int limit) const;

    /// Points of @p seriesId with firstStep <= step <= lastStep: all of them when there are at most
    /// @p maxBuckets, else the pyramid level that gives between maxBuckets / 8 and maxBuckets buckets.
    SeriesRange range(std::int64_t seriesId, std::int64_t firstStep, std::int64_t lastStep,
        std::int64_t maxBuckets) const;

    /// The last point of @p seriesId whose step is at most @p step; nullopt when there is none.
    std::optional<Point> pointAt(std::int64_t seriesId, std::int64_t step) const;

    /// All points, ordered by step. For export and smoothing.
    std::vector<Point> points(std::int64_t seriesId) const;

    /// Returns a number that changes when any process has written to the database. Takes about 20 µs.
    std::int64_t changeCounter() const;

    /// Returns what has changed since changesSince() returned @p position; 0: there was no earlier call.
    Changes changesSince(std::int64_t position) const;

    /// Deletes a run from the index and gives its space back to the file system; its folder is not touched.
    void removeRun(const std::string& runId);

    /// Gives all unused space back to the file system. A database that an older Atelier created is written anew for this,
    /// once, which keeps other writers waiting.
    void compact();

    struct Private;

private:
    friend class Ingest;
    std::unique_ptr<Private> m_d;
};

}  // namespace storage

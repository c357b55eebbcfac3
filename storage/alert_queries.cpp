#include "storage/alert_queries.h"

#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/stall.h"
#include "storage/run_queries.h"

#include <algorithm>
#include <limits>

namespace storage {
namespace {

// The outcome of an attempt is the supervisor's, or rank 0's where the supervisor has none. An attempt that failed and was followed by another
// one through launch.restarts is told by the event that announced the restart.
constexpr char kAlerts[] = R"(
WITH ends AS (
    SELECT run, attempt, max(last_step) AS step,
        max(CASE rank WHEN -1 THEN outcome END) AS supervisor_outcome, max(CASE rank WHEN 0 THEN outcome END) AS rank_outcome,
        max(CASE rank WHEN -1 THEN cause END) AS supervisor_cause, max(CASE rank WHEN 0 THEN cause END) AS rank_cause,
        max(CASE rank WHEN -1 THEN last_record_unix_ms END) AS supervisor_ms, max(CASE rank WHEN 0 THEN last_record_unix_ms END) AS rank_ms
    FROM progress WHERE run BETWEEN ?1 AND ?2 AND rank >= -1 GROUP BY run, attempt
), alert AS (
    SELECT run, attempt, step, coalesce(CASE WHEN supervisor_outcome <> '' THEN supervisor_ms END, rank_ms, supervisor_ms, 0) AS unix_ms,
        coalesce(nullif(supervisor_outcome, ''), rank_outcome, '') AS kind,
        CASE WHEN supervisor_outcome <> '' THEN supervisor_cause ELSE coalesce(rank_cause, '') END AS message
    FROM ends
    WHERE kind IN ('', 'finished') OR (kind = 'failed' AND NOT (
        EXISTS (SELECT 1 FROM event WHERE event.run = ends.run AND event.attempt = ends.attempt AND event.kind = ?3)
        AND EXISTS (SELECT 1 FROM progress WHERE progress.run = ends.run AND progress.attempt > ends.attempt)))
    UNION ALL
    SELECT run, attempt, step, unix_ms, kind, message FROM event
    WHERE run BETWEEN ?1 AND ?2 AND kind IN (?3, ?4, ?5, ?6, ?8)
)
SELECT run.id, attempt, step, unix_ms, kind, message FROM alert JOIN run ON run.key = alert.run
ORDER BY unix_ms DESC, alert.run DESC, attempt DESC LIMIT ?7
)";

AlertRow::Kind kindOf(const std::string& word)
{
    using enum AlertRow::Kind;
    if (word.empty())
        return NoEnd;
    if (word == "finished")
        return Finished;
    if (word == "failed")
        return Failed;
    if (word == contract::event::kRestarting)
        return Restarting;
    if (word == contract::event::kStalled)
        return Stalled;
    if (word == contract::event::kNotSaved)
        return NotSaved;
    return word == contract::kRuleEvent ? Rule : DiskLow;
}

}  // namespace

std::vector<AlertRow> readAlerts(Database& database, const std::string& runId, int limit)
{
    using Limits = std::numeric_limits<std::int64_t>;
    const std::int64_t key = runId.empty() ? 0 : keyOf(database, runId);
    const std::string restarting = contract::event::kRestarting, stalled = contract::event::kStalled, rule = contract::kRuleEvent,
                      diskLow = contract::event::kDiskLow, notSaved = contract::event::kNotSaved;
    std::vector<AlertRow> rows;
    Query row = database.query(kAlerts);
    row.bind(runId.empty() ? Limits::min() : key, runId.empty() ? Limits::max() : key, restarting, stalled, rule, diskLow, std::max(limit, 0), notSaved);
    while (row.step())
        rows.push_back({.run = row.text(0),
            .attempt = static_cast<int>(row.integer(1)),
            .step = row.integer(2),
            .unixMs = row.integer(3),
            .kind = kindOf(row.text(4)),
            .message = row.text(5)});
    return rows;
}

}  // namespace storage

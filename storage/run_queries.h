// What a Store answers about runs, but for their series' points.
#pragma once
#include "storage/database.h"
#include "storage/store.h"

namespace storage {

/// Within the caller's transaction, as all of these. @param id of one run; empty: all of them.
std::vector<RunRow> readRuns(Database& database, const std::optional<std::string>& id);
std::vector<AttemptRow> readAttempts(Database& database, const std::string& runId);
std::vector<ParameterRow> readParameters(Database& database, const std::string& runId, int attempt);
std::vector<SeriesRow> readSeries(Database& database, const std::string& runId);
std::vector<CheckpointRow> readCheckpoints(Database& database, const std::string& runId);
std::vector<SampleRow> readSamples(Database& database, const std::string& runId);
std::vector<EventRow> readEvents(Database& database, const std::string& runId, int limit);

}  // namespace storage

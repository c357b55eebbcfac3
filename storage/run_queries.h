// The queries of a Store, except those for the points of a series (series_reader.h).
#pragma once
#include "engine/contract/run/lineage.h"
#include "storage/database.h"
#include "storage/store.h"

namespace storage {

// Call these within a transaction, so that their statements see one state of the database. All throw SQLite::Exception.

/// Returns the run's key, or -1, which is no run's key, when the run is not in the index.
std::int64_t keyOf(Database& database, const std::string& runId);

/// The history of the last attempt of the run with key @p run.
contract::Lineage readLineage(Database& database, std::int64_t run);
/// The last step of @p attempt that is not superseded. A resumed run does not undo what the machine did: of its journal, all steps count.
std::int64_t lastValidStep(const contract::Lineage& lineage, int attempt, int rank);

/// @param id selects one run; nullopt selects all
std::vector<RunRow> readRuns(Database& database, const std::optional<std::string>& id);
std::vector<AttemptRow> readAttempts(Database& database, const std::string& runId);
std::vector<ParameterRow> readParameters(Database& database, const std::string& runId, int attempt);
std::vector<SeriesRow> readSeries(Database& database, const std::string& runId);
std::vector<CheckpointRow> readCheckpoints(Database& database, const std::string& runId);
std::vector<SampleRow> readSamples(Database& database, const std::string& runId);
std::int64_t countCheckpoints(Database& database, const std::string& runId);
std::int64_t countSamples(Database& database, const std::string& runId);
/// The folder of a run whose ranks have been on several hosts; empty: on one.
std::string folderOfSeveralHosts(Database& database, const std::string& runId);
/// The last @p limit events. @param isOfEachRank so many of each rank: their clocks may differ
std::vector<EventRow> readEvents(Database& database, const std::string& runId, int limit, bool isOfEachRank);

}  // namespace storage

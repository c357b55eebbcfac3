#include "storage/attempt_ingest.h"

#include "engine/contract/attempt/history.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/origin.h"
#include "storage/run_ingest.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace storage {
namespace {

using Stamps = std::map<int, std::string>;

Stamps storedStamps(Database& database, std::int64_t run)
{
    Stamps stamps;
    Query row = database.query("SELECT number, stamp FROM attempt WHERE run = ?");
    row.bind(run);
    while (row.step())
        stamps[static_cast<int>(row.integer(0))] = row.text(1);
    return stamps;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parametersOf(const contract::Experiment& experiment)
{
    Parameters parameters;
    for (const contract::Option& option : contract::options())
        parameters.emplace_back(option.key, contract::toText(experiment.value(option.key)));
    return parameters;
}

void writeParameters(Database& database, std::int64_t run, int attempt, const Parameters& parameters)
{
    for (const auto& [key, value] : parameters) {
        database.query("INSERT INTO parameter_key (name) VALUES (?) ON CONFLICT DO NOTHING").bind(key).run();
        database.query("INSERT INTO parameter (key, run, attempt, value)"
                       " VALUES ((SELECT key FROM parameter_key WHERE name = ?), ?, ?, ?)")
            .bind(key, run, attempt, value)
            .run();
    }
}

/// What the row of an attempt has of its experiment, or of the origin of an imported run; empty when there is neither.
struct Description {
    std::string name;
    std::string project;
    std::int64_t totalSteps = 0;
    Parameters parameters;
};

Description descriptionOf(const contract::RunFolder& folder, bool hasConfig, const contract::Experiment& experiment)
{
    if (hasConfig)
        return {experiment.text("run.name"), experiment.text("run.project"), experiment.integer("run.total_steps"), parametersOf(experiment)};
    try {
        if (auto origin = contract::readOrigin(folder))
            return {origin->name, origin->project, 0, std::move(origin->parameters)};
    } catch (const std::runtime_error&) {
        // the run's state says why; its curves are shown all the same
    }
    return {};
}

/// What start.json says; when it cannot be read, what is known from the experiment and the journals.
struct Start {
    contract::AttemptStart record;
    std::string problem;  ///< why the file cannot be read; empty when it was
};

Start readStart(Database& database, std::int64_t run, const contract::RunFolder& folder, int number,
    const contract::Experiment& experiment)
{
    Start start;
    try {
        start.record = folder.readStart(number);
        start.record.parentAttempt = contract::parentAttempt(folder, start.record);
    } catch (const std::runtime_error& error) {
        start.problem = error.what();
        start.record.ranks = static_cast<int>(experiment.integer("launch.ranks"));
        Query row = database.query("SELECT start_unix_ms, host FROM progress WHERE run = ? AND attempt = ? ORDER BY rank LIMIT 1");
        if (row.bind(run, number).step()) {
            start.record.startUnixMs = row.integer(0);
            start.record.host = row.text(1);
        }
        Query step = database.query("SELECT coalesce((SELECT min(first_step) - 1 FROM series WHERE run = ?1 AND attempt = ?2),"
                                    " (SELECT max(last_step) FROM progress WHERE run = ?1 AND attempt < ?2), 0)");
        if (number > 1 && step.bind(run, number).step())
            start.record.parentStep = step.integer(0);
    }
    return start;
}

/// @param known the stored stamp; empty when the attempt is not stored yet
/// @return why start.json cannot be read; empty when it was.
std::string writeAttempt(Database& database, std::int64_t run, const contract::RunFolder& folder, int number,
    std::string stamp, const std::string& known)
{
    const bool hasConfig = contract::hasEntry(folder.config(number));
    const auto parsed = hasConfig ? contract::loadExperiment(folder.config(number)) : contract::ParsedExperiment();
    const contract::Experiment& experiment = parsed.experiment;
    const auto [start, problem] = readStart(database, run, folder, number, experiment);
    if (!problem.empty())
        stamp += " unread " + std::to_string(start.startUnixMs);  // never that of a file, so that it is read again next time
    if (stamp == known)
        return problem;
    const Description description = descriptionOf(folder, hasConfig, experiment);

    WriteTransaction transaction(database);
    database.query("DELETE FROM attempt WHERE run = ? AND number = ?").bind(run, number).run();
    database.query("INSERT INTO attempt (run, number, start_unix_ms, ranks, host, parent_checkpoint,"
                   " parent_step, name, project, total_steps, stamp, parent_attempt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, number, start.startUnixMs, start.ranks, start.host, start.parentCheckpoint,
            start.parentStep, description.name, description.project, description.totalSteps, stamp, start.parentAttempt)
        .run();
    writeParameters(database, run, number, description.parameters);
    transaction.commit();
    return problem;
}

}  // namespace

void ingestAttempts(Database& database, std::int64_t run, const contract::RunFolder& folder,
    std::vector<std::string>& problems)
{
    Stamps stored = storedStamps(database, run);
    std::error_code error;
    for (const int number : folder.attempts(error)) {
        const std::string stamp = stampOf(folder.start(number)) + " " + stampOf(folder.config(number)) + stampOf(contract::originFile(folder));
        const auto known = stored.extract(number);
        if (known && known.mapped() == stamp)
            continue;
        const std::string problem = writeAttempt(database, run, folder, number, stamp, known ? known.mapped() : std::string());
        if (!problem.empty())
            problems.push_back(problem);
    }
    if (const std::string problem = whyUnreadable(folder.attempt(1).parent_path(), error); !problem.empty()) {
        problems.push_back(problem);
        return;
    }
    for (const auto& [number, stamp] : stored)
        database.query("DELETE FROM attempt WHERE run = ? AND number = ?").bind(run, number).run();
}

}  // namespace storage

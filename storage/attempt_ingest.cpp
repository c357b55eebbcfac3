#include "storage/attempt_ingest.h"

#include "engine/contract/experiment.h"
#include "storage/run_ingest.h"

#include <map>

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

void writeParameters(
    Database& database, std::int64_t run, int attempt, const contract::Experiment& experiment)
{
    int position = 0;
    for (const contract::Option& option : contract::options()) {
        const std::string key(option.key);
        const std::string value = contract::toText(experiment.value(option.key));
        database.query("INSERT INTO parameter (run, attempt, key, position, value) VALUES (?, ?, ?, ?, ?)")
            .bind(run, attempt, key, position++, value)
            .run();
    }
}

void writeAttempt(Database& database, std::int64_t run, const contract::RunFolder& folder, int number,
    const std::string& stamp)
{
    const contract::AttemptStart start = folder.readStart(number);
    const bool hasConfig = std::filesystem::exists(folder.config(number));
    const auto parsed = hasConfig ? contract::loadExperiment(folder.config(number)) : contract::ParsedExperiment();
    const contract::Experiment& experiment = parsed.experiment;
    const std::int64_t totalSteps = hasConfig ? experiment.integer("run.total_steps") : 0;
    const std::string name = hasConfig ? experiment.text("run.name") : std::string();
    const std::string project = hasConfig ? experiment.text("run.project") : std::string();

    WriteTransaction transaction(database);
    database.query("DELETE FROM attempt WHERE run = ? AND number = ?").bind(run, number).run();
    database.query("INSERT INTO attempt (run, number, start_unix_ms, ranks, host, parent_checkpoint,"
                   " parent_step, name, project, total_steps, stamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run, number, start.startUnixMs, start.ranks, start.host, start.parentCheckpoint,
            start.parentStep, name, project, totalSteps, stamp)
        .run();
    if (hasConfig)
        writeParameters(database, run, number, experiment);
    transaction.commit();
}

}  // namespace

void ingestAttempts(Database& database, std::int64_t run, const contract::RunFolder& folder,
    std::vector<std::string>& problems)
{
    Stamps stored = storedStamps(database, run);
    for (const int number : folder.attempts()) {
        const std::string stamp = stampOf(folder.start(number)) + " " + stampOf(folder.config(number));
        const auto known = stored.extract(number);
        if (known && known.mapped() == stamp)
            continue;
        try {
            writeAttempt(database, run, folder, number, stamp);
        } catch (const SQLite::Exception&) {
            throw;
        } catch (const std::runtime_error& error) {
            problems.emplace_back(error.what());
        }
    }
    for (const auto& [number, stamp] : stored)
        database.query("DELETE FROM attempt WHERE run = ? AND number = ?").bind(run, number).run();
}

}  // namespace storage

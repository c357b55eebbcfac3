#include "app/cli/queue_runs.h"

#include "app/cli/output.h"
#include "engine/contract/attempt/attempt.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/start_scheduler.h"
#include "storage/ingest.h"

#include <algorithm>
#include <utility>

namespace app {

void showInDatabase(const launcher::DataHome& home, const std::vector<contract::RunFolder>& folders)
{
    try {
        storage::Store store(home.database());
        for (const contract::RunFolder& folder : folders) {
            for (const std::string& problem : storage::Ingest(store).catchUp(folder).problems)
                printWarning(problem);
        }
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
}

std::vector<launcher::PreparedRun> createRuns(const launcher::DataHome& home, const std::vector<PlannedRun>& planned)
{
    std::vector<launcher::PreparedRun> runs;
    for (const PlannedRun& each : planned)
        runs.push_back(launcher::createRun(home, each.experiment));
    return runs;
}

ExitCode queueRuns(const launcher::DataHome& home, std::vector<launcher::PreparedRun> runs, std::optional<int> gpus, bool isJson)
{
    std::vector<launcher::QueueEntry> entries;
    std::vector<contract::RunFolder> folders;
    for (const launcher::PreparedRun& run : runs) {
        entries.push_back(launcher::entryFor(run.folder, run.attempt, contract::experimentOf(run.folder, run.attempt)));
        entries.back().gpus = gpus.value_or(entries.back().gpus);
        folders.push_back(run.folder);
    }
    showInDatabase(home, folders);
    launcher::enqueue(home, entries, std::move(runs));
    Json rows = Json::array();
    std::string text;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        rows.push_back({{"run", entries[i].run}, {"folder", folders[i].root().string()}, {"attempt", entries[i].attempt},
            {"gpus", entries[i].gpus}});
        text += "Queued: " + entries[i].run + "\n";
    }
    if (isJson)
        printJson(rows);
    else
        printText(text + "`atelier queue` shows what waits, and for what.\n");
    return kSuccess;
}

}  // namespace app

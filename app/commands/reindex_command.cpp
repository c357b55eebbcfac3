// atelier reindex
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "storage/ingest.h"

namespace app {
namespace {

ExitCode reindex()
{
    const launcher::DataHome home = existingHome();
    std::vector<std::string> problems;
    std::size_t runs = 0;
    try {
        LiveLine line(stderr);
        problems = storage::reindex(home.database(), home.runs(), [&](std::size_t done, std::size_t all) {
            runs = all;
            line.show("run " + std::to_string(done) + " of " + std::to_string(all));
        });
    } catch (const storage::StoreError& error) {
        throw Failure(error.what());
    }
    for (const std::string& problem : problems)
        printWarning(problem);
    printText("Rebuilt " + home.database().string() + " from "
        + formatCount(static_cast<std::int64_t>(runs)) + " run folders.\n");
    return kSuccess;
}

}  // namespace

void addReindexCommand(CLI::App& app, Action& action)
{
    CLI::App* command
        = app.add_subcommand("reindex", "Rebuild the database from the run folders, which are not changed");
    command->callback([&action] { action = reindex; });
}

}  // namespace app

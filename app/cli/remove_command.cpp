// atelier rm
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/confirm.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "launcher/home/trash.h"
#include "storage/ingest.h"

#include <algorithm>
#include <memory>

namespace app {
namespace {

struct RemoveRequest {
    std::vector<std::string> runs;
    bool isConfirmed = false;
};

/// Removes the runs from the database. An error is only a warning, because catchUpAll() removes them later anyway.
void forget(const launcher::DataHome& home, const std::vector<contract::RunFolder>& folders)
{
    try {
        storage::Store store(home.database());
        for (const contract::RunFolder& folder : folders)
            store.removeRun(folder.id());
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
}

ExitCode remove(const RemoveRequest& request)
{
    const launcher::DataHome home = existingHome();
    std::vector<contract::RunFolder> folders;
    for (const std::string& name : request.runs) {
        const contract::RunFolder folder = findRun(home, name);
        if (std::ranges::find(folders, folder.root(), &contract::RunFolder::root) == folders.end())
            folders.push_back(folder);
    }
    std::vector<std::string> ids;
    for (const contract::RunFolder& folder : folders)
        ids.push_back(folder.id());
    if (!request.isConfirmed && !confirm("rm", ids, std::string("Move ") + (ids.size() == 1 ? "this run" : "these runs") + " to the trash?"))
        return kFailed;
    for (const contract::RunFolder& folder : folders) {
        launcher::moveToTrash(home, folder);
        forget(home, {folder});
        printText("Moved " + folder.id() + " to " + home.trash().string() + ".\n");
    }
    printText("`atelier trash restore RUN` brings a run back, `atelier trash empty` frees its space.\n");
    return kSuccess;
}

}  // namespace

void addRemoveCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RemoveRequest>();
    CLI::App* command = app.add_subcommand("rm", "Move runs to the trash of the data home");
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest")->required();
    command->add_flag("--yes", request->isConfirmed, "Do not ask for confirmation");
    command->callback([request, &action] { action = [request] { return remove(*request); }; });
}

}  // namespace app

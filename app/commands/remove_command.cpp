// atelier rm
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
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
    for (const contract::RunFolder& folder : folders) {
        launcher::moveToTrash(home, folder);
        forget(home, {folder});
        printText("Moved " + folder.id() + " to " + home.trash().string() + ".\n");
    }
    std::string ids;
    for (const contract::RunFolder& folder : folders)
        ids += " " + folder.id();
    printText("`atelier trash empty` frees the space. To undo this:\n  atelier trash restore" + ids + "\n");
    return kSuccess;
}

}  // namespace

void addRemoveCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RemoveRequest>();
    CLI::App* command = app.add_subcommand("rm", "Move runs to the trash of the data home");
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest")->required();
    command->add_flag("--yes")->group("");  // of when it asked
    command->callback([request, &action] { action = [request] { return remove(*request); }; });
}

}  // namespace app

// atelier rm
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "launcher/launch.h"
#include "storage/ingest.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

namespace app {
namespace {

struct RemoveRequest {
    std::vector<std::string> runs;
    bool isConfirmed = false;
};

bool confirm(const std::vector<contract::RunFolder>& folders)
{
    if (::isatty(STDIN_FILENO) != 1)
        throw Failure("rm asks before it moves runs to the trash; without a terminal, give --yes",
            kWrongUsage);
    for (const contract::RunFolder& folder : folders)
        std::cerr << "  " << folder.id() << "\n";
    std::cerr << "Move " << (folders.size() == 1 ? "this run" : "these runs") << " to the trash? [y/N] ";
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

/// Only the index: it forgets the runs at its next reading anyway, so that its trouble is no failure.
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
    if (!request.isConfirmed && !confirm(folders))
        return kFailed;
    for (const contract::RunFolder& folder : folders) {
        launcher::moveToTrash(home, folder);
        forget(home, {folder});
        printText("Moved " + folder.id() + " to " + home.trash().string() + ".\n");
    }
    return kSuccess;
}

}  // namespace

void addRemoveCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RemoveRequest>();
    CLI::App* command = app.add_subcommand("rm", "Move runs to the trash of the data home");
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest")->required();
    command->add_flag("--yes", request->isConfirmed, "Do not ask");
    command->callback([request, &action] { action = [request] { return remove(*request); }; });
}

}  // namespace app

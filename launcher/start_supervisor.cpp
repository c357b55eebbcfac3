#include "engine/contract/run/journal.h"
#include "launcher/detached_program.h"
#include "launcher/launch.h"

#include <filesystem>

namespace launcher {

void startSupervisor(const contract::RunFolder& folder, const std::map<std::string, std::string>& variables)
{
    startDetached({.name = "the supervisor of run " + folder.id(),
        .arguments = {"supervise", std::filesystem::absolute(folder.root()).string()},
        .variables = variables,
        .log = folder.log(contract::kSupervisorRank)});
}

}  // namespace launcher

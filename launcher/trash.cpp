// Moves runs to the trash of the data home and back.
#include "launcher/folders.h"
#include "launcher/launch.h"
#include "launcher/sentence.h"
#include "launcher/supervisor_lock.h"

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

/// Beside the folder in the trash: where it came from.
fs::path originFile(const DataHome& home, const std::string& runId)
{
    return home.trash() / (runId + ".origin");
}

fs::path originOf(const DataHome& home, const std::string& runId)
{
    std::ifstream stream(originFile(home, runId), std::ios::binary);
    std::string origin;
    std::getline(stream, origin, '\0');
    return origin.empty() ? home.runs() / runId : fs::path(origin);
}

void move(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    if (fs::exists(to, error))
        throw std::runtime_error(cannotBe("moved to " + to.string(), from, EEXIST));
    fs::rename(from, to, error);
    if (error)
        throw std::runtime_error(cannotBe("moved to " + to.string(), from, error.value()));
}

}  // namespace

void moveToTrash(const DataHome& home, const contract::RunFolder& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder.root(), error))
        throw std::runtime_error(folder.root().string() + " is not there; nothing was moved to the trash");
    SupervisorLock lock(folder);
    if (const std::string problem = lock.take(); !problem.empty())
        throw std::runtime_error(problem);
    createFolder(home.trash());
    try {
        contract::writeFileAtomically(originFile(home, folder.id()), folder.root().string());
    } catch (const std::system_error& failure) {
        throw std::runtime_error(
            cannotBe("written", originFile(home, folder.id()), failure.code().value()));
    }
    move(folder.root(), home.trash() / folder.id());
}

contract::RunFolder restoreFromTrash(const DataHome& home, const std::string& runId)
{
    std::error_code error;
    const fs::path inTrash = home.trash() / runId;
    if (runId.empty() || runId.find('/') != std::string::npos || !fs::is_directory(inTrash, error))
        throw std::runtime_error("run " + runId + " is not in the trash " + home.trash().string());
    const fs::path origin = originOf(home, runId);
    createFolder(origin.parent_path());
    move(inTrash, origin);
    fs::remove(originFile(home, runId), error);
    return contract::RunFolder(origin);
}

}  // namespace launcher

#include "launcher/base/owned_folder.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/folders.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

/// Deletes what processes have left that were killed.
void removeRemnants(const fs::path& parent)
{
    for (const fs::path& entry : contract::entriesOf(parent)) {
        const int descriptor = ::open(entry.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor < 0)
            continue;
        std::error_code ignored;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            fs::remove_all(entry, ignored);
        ::close(descriptor);
    }
}

}  // namespace

OwnedFolder::OwnedFolder(const fs::path& parent)
{
    createFolder(parent);
    removeRemnants(parent);
    std::string name = (parent / "XXXXXX").string();
    if (!::mkdtemp(name.data()))
        throw std::runtime_error(contract::cannotBe("created", parent, errno));
    m_path = name;
    m_lock = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::flock(m_lock, LOCK_EX | LOCK_NB);
}

OwnedFolder::~OwnedFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    ::close(m_lock);
}

void OwnedFolder::sync() const { ::syncfs(m_lock); }

}  // namespace launcher

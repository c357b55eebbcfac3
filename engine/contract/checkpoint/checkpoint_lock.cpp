#include "engine/contract/checkpoint/checkpoint_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace contract {

CheckpointLock::CheckpointLock(const std::filesystem::path& checkpoint, Use use)
    : m_descriptor(::open(checkpoint.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    , m_isHeld(m_descriptor >= 0 && ::flock(m_descriptor, (use == Use::Read ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
{
}

CheckpointLock::~CheckpointLock()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

}  // namespace contract

#include "engine/contract/run/start_lock.h"

#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/lock_byte.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace contract {

StartLock::StartLock(StartLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

StartLock& StartLock::operator=(StartLock&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

StartLock::~StartLock() { release(); }

std::string StartLock::take(const RunFolder& folder)
{
    const int cause = takeByte(folder.supervisorLock(), LockByte::Starter, m_descriptor);
    if (cause == EAGAIN)
        return "run " + folder.id() + " is being started by another program; try again in a moment";
    return cause == 0 ? std::string() : cannotBe("locked", folder.supervisorLock(), cause);
}

void StartLock::release()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

bool isBeingStarted(const RunFolder& folder)
{
    return isByteTaken(folder.supervisorLock(), LockByte::Starter);
}

}  // namespace contract

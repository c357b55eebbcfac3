#include "engine/comm/shared_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <sstream>

namespace engine {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kCountersBytes = (sizeof(RankCounters) + kPage - 1) / kPage * kPage;
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

bool hasReached(std::uint32_t value, std::uint32_t target)
{
    return static_cast<std::int32_t>(value - target) >= 0;
}

/// Reserves the pages, so that lack of memory is an error here and not a signal later.
void reserve(int file, std::int64_t offset, std::int64_t bytes)
{
    int error = 0;
    do {
        error = ::posix_fallocate(file, offset, bytes);
    } while (error == EINTR);
    if (error != 0)
        throw EngineError(EngineError::Kind::OutOfMemory,
            "cannot allocate " + std::to_string(bytes >> 20) + " MiB of memory to share with the other ranks: "
                + std::strerror(error));
}

void pause()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

SharedMemory::SharedMemory(int rank, std::vector<int> ranks, std::uint64_t token, std::chrono::milliseconds timeout)
    : m_rank(rank)
    , m_size(static_cast<int>(ranks.size()))
    , m_globalRanks(std::move(ranks))
    , m_token(token)
    , m_timeout(timeout)
    , m_files(m_globalRanks.size(), -1)
    , m_processes(m_globalRanks.size(), -1)
    , m_counters(m_globalRanks.size(), nullptr)
    , m_next(kCountersBytes)
{
    const int file = ::memfd_create("atelier-rank", MFD_CLOEXEC);
    if (file < 0)
        throw EngineError(EngineError::Kind::Failure,
            std::string("cannot create memory to share with the other ranks: ") + std::strerror(errno));
    const auto me = static_cast<std::size_t>(rank);
    m_files[me] = file;
    reserve(file, 0, kCountersBytes);
    m_counters[me] = new (map(file, 0, kCountersBytes)) RankCounters;
    m_counters[me]->token = token;
}

SharedMemory::~SharedMemory()
{
    for (const Mapping& mapping : m_mappings)
        ::munmap(mapping.address, mapping.bytes);
    for (const auto* descriptors : {&m_files, &m_processes}) {
        for (const int descriptor : *descriptors) {
            if (descriptor >= 0)
                ::close(descriptor);
        }
    }
}

std::string SharedMemory::address() const
{
    const int file = m_files[static_cast<std::size_t>(m_rank)];
    struct stat facts {};
    ::fstat(file, &facts);
    std::ostringstream text;
    text << ::getpid() << ' ' << file << ' ' << facts.st_dev << ' ' << facts.st_ino;
    return text.str();
}

bool SharedMemory::open(const std::vector<std::string>& addresses)
{
    for (int rank = 0; rank < m_size; ++rank) {
        if (rank == m_rank)
            continue;
        const auto slot = static_cast<std::size_t>(rank);
        std::istringstream text(addresses[slot]);
        pid_t process = 0;
        int descriptor = -1;
        dev_t device = 0;
        ino_t inode = 0;
        if (!(text >> process >> descriptor >> device >> inode))
            return false;
        const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0)
            return false;
        m_files[slot] = file;
        struct stat facts {};
        if (::fstat(file, &facts) != 0 || facts.st_dev != device || facts.st_ino != inode
            || facts.st_size < kCountersBytes)
            return false;
        m_counters[slot] = reinterpret_cast<RankCounters*>(map(file, 0, kCountersBytes));
        if (m_counters[slot]->token != m_token)
            return false;
        m_processes[slot] = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
        if (m_processes[slot] < 0)
            return false;
    }
    return true;
}

std::byte* SharedMemory::map(int descriptor, std::int64_t offset, std::int64_t bytes)
{
    void* const address = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
        descriptor, offset);
    if (address == MAP_FAILED)
        throw EngineError(EngineError::Kind::OutOfMemory,
            std::string("cannot map memory shared with the other ranks: ") + std::strerror(errno));
    m_mappings.push_back({address, static_cast<std::size_t>(bytes)});
    return static_cast<std::byte*>(address);
}

/// Returns the offset of the next block, which is the same in every file, and reserves it in the file of @p owner.
std::int64_t SharedMemory::takeOffset(int owner, std::int64_t bytes)
{
    const std::int64_t offset = m_next;
    reserve(m_files[static_cast<std::size_t>(owner)], offset, bytes);
    m_next += (bytes + kPage - 1) / kPage * kPage;
    return offset;
}

std::vector<std::byte*> SharedMemory::allocate(std::int64_t bytes)
{
    const std::int64_t offset = takeOffset(m_rank, bytes);
    std::vector<std::byte*> blocks;
    for (const int file : m_files)
        blocks.push_back(map(file, offset, bytes));
    m_blocks[blocks[static_cast<std::size_t>(m_rank)]] = {blocks, true, offset, bytes};
    return blocks;
}

std::byte* SharedMemory::allocateOneCopy(std::int64_t bytes)
{
    const std::int64_t offset = takeOffset(0, bytes);
    std::byte* const block = map(m_files[0], offset, bytes);
    m_blocks[block] = {{block}, m_rank == 0, offset, bytes};
    return block;
}

void SharedMemory::free(const std::byte* block)
{
    const auto found = m_blocks.find(block);
    const Block& freed = found->second;
    for (std::byte* const address : freed.addresses) {
        ::munmap(address, static_cast<std::size_t>(freed.bytes));
        std::erase_if(m_mappings, [&](const Mapping& mapping) { return mapping.address == address; });
    }
    if (freed.isInOwnFile)
        ::fallocate(m_files[static_cast<std::size_t>(m_rank)], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, freed.offset, freed.bytes);
    m_blocks.erase(found);
}

std::uint32_t SharedMemory::advance(RankCounters::Counter RankCounters::*counter)
{
    RankCounters::Counter& mine = counters(m_rank).*counter;
    const std::uint32_t value = mine.value.fetch_add(1) + 1;
    if (mine.waiters.load() > 0)
        ::syscall(SYS_futex, &mine.value, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
    return value;
}

void SharedMemory::await(
    RankCounters::Counter RankCounters::*counter, std::uint32_t target, const std::string& what)
{
    if (m_failure)
        throw *m_failure;
    try {
        for (int rank = 0; rank < m_size; ++rank)
            awaitRank(rank, counters(rank).*counter, target, what);
    } catch (const EngineError& error) {
        m_failure = error;
        throw;
    }
}

void SharedMemory::awaitRank(
    int rank, RankCounters::Counter& counter, std::uint32_t target, const std::string& what)
{
    constexpr int kSpins = 4000;  // about 50 microseconds: less than going to sleep and waking up takes
    for (int i = 0; i < kSpins; ++i) {
        if (hasReached(counter.value.load(std::memory_order_acquire), target))
            return;
        pause();
    }
    const auto deadline = std::chrono::steady_clock::now() + m_timeout;
    counter.waiters.fetch_add(1);
    std::uint32_t value = counter.value.load();
    const auto peer = [&] {
        return what + " failed: rank " + std::to_string(m_globalRanks[static_cast<std::size_t>(rank)]);
    };
    while (!hasReached(value, target)) {
        const timespec slice {0, 100'000'000};
        ::syscall(SYS_futex, &counter.value, FUTEX_WAIT, value, &slice, nullptr, 0);
        value = counter.value.load();
        if (hasReached(value, target))
            break;
        if (hasExited(rank))
            throw EngineError(EngineError::Kind::LostPeer, peer() + " has exited");
        if (std::chrono::steady_clock::now() > deadline)
            throw EngineError(EngineError::Kind::Timeout,
                peer() + " did not take part within "
                    + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count()) + " s");
    }
    counter.waiters.fetch_sub(1);
}

bool SharedMemory::hasExited(int rank) const
{
    pollfd ended {m_processes[static_cast<std::size_t>(rank)], POLLIN, 0};
    return ended.fd >= 0 && ::poll(&ended, 1, 0) == 1;
}

}  // namespace engine

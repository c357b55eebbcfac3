// Memory that all ranks of one host map, and counters by which each rank publishes its progress.
#pragma once
#include "engine/comm/errors.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// The progress of one rank, in that rank's memory file, which the other ranks map too. Counters wrap around.
struct RankCounters {
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> value {0};
        std::atomic<std::uint32_t> waiters {0};
    };
    static constexpr std::size_t kSmallValues = 256;

    std::uint64_t token = 0;      ///< of the group, written last: proves that the right file was opened
    Counter arrived;              ///< collectives that this rank has contributed to
    Counter released;             ///< buffers that this rank has finished reading
    Counter summed;               ///< small all-reduces that this rank has contributed to
    double small[2][kSmallValues] = {};  ///< this rank's values in the last two of those
};

/// One rank's view of its group's shared memory, which exists as long as any rank maps it and leaves no file behind.
/// All methods are called by one thread.
class SharedMemory {
public:
    /// @param rank this rank's index in @p ranks @param ranks global ranks of the group's members, for error messages
    /// @param token a number that no other group on this host uses @param timeout of each await()
    /// @throws EngineError Failure or OutOfMemory when the memory cannot be created.
    SharedMemory(int rank, std::vector<int> ranks, std::uint64_t token, std::chrono::milliseconds timeout);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    /// What the other ranks need to open this rank's file: "pid descriptor device inode".
    std::string address() const;

    /// Opens the files of all ranks. @param addresses address() of each rank, by rank
    /// @return false when a file cannot be opened from here (another host, another container or user).
    bool open(const std::vector<std::string>& addresses);

    /// Allocates a block at the same offset in every rank's file. Collective: all ranks allocate the same sizes in
    /// the same order. @return the address of each rank's block in this process, by rank.
    /// @throws EngineError OutOfMemory
    std::vector<std::byte*> allocate(std::int64_t bytes);

    /// Allocates one block for all ranks, in the file of rank 0. Collective as above.
    std::byte* allocateOneCopy(std::int64_t bytes);

    /// Unmaps a block and gives its memory back to the system. Collective; call it when no rank uses the block any more.
    /// @param block an address from allocateOneCopy(), or this rank's from allocate(), which frees the blocks of all ranks
    void free(const std::byte* block);

    RankCounters& counters(int rank) { return *m_counters[static_cast<std::size_t>(rank)]; }

    /// Adds one to a counter of this rank and wakes the ranks that wait for it. @return the new value
    std::uint32_t advance(RankCounters::Counter RankCounters::*counter);

    /// Blocks until every rank's counter has reached @p target.
    /// @throws EngineError naming @p what and the rank: LostPeer when it has exited, Timeout when it did not take part in time. Once
    ///         thrown, later calls throw the same without waiting, so that a group that has failed is left quickly.
    void await(RankCounters::Counter RankCounters::*counter, std::uint32_t target, const std::string& what);

private:
    void awaitRank(int rank, RankCounters::Counter& counter, std::uint32_t target, const std::string& what);
    bool hasExited(int rank) const;

    std::int64_t takeOffset(int owner, std::int64_t bytes);

    struct Mapping {
        void* address;
        std::size_t bytes;
    };
    struct Block {
        std::vector<std::byte*> addresses;  ///< in this process: of every rank's block, or of the only one
        bool isInOwnFile;                   ///< whether this rank's file has memory for it, which this rank gives back
        std::int64_t offset, bytes;
    };
    std::byte* map(int descriptor, std::int64_t offset, std::int64_t bytes);

    int m_rank;
    int m_size;
    std::vector<int> m_globalRanks;  ///< by rank in the group
    std::uint64_t m_token;
    std::chrono::milliseconds m_timeout;
    std::vector<int> m_files;      ///< by rank
    std::vector<int> m_processes;  ///< pidfd by rank, -1 for this rank
    std::vector<RankCounters*> m_counters;
    std::optional<EngineError> m_failure;  ///< of an await()
    std::vector<Mapping> m_mappings;
    std::map<const std::byte*, Block> m_blocks;  ///< by the address that free() takes
    std::int64_t m_next;           ///< offset of the next block
};

}  // namespace engine

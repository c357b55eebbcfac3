// Memory that all ranks of one host map, and counters by which they tell each other how far they are.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// How far a rank is, in a file of its own that the others map too. Counters wrap around.
struct RankCounters {
    struct alignas(64) Counter {
        std::atomic<std::uint32_t> value {0};
        std::atomic<std::uint32_t> waiters {0};
    };
    static constexpr std::size_t kSmallValues = 256;

    std::uint64_t token = 0;      ///< of the run, written last: proof that the file is the one meant
    Counter arrived;              ///< collectives that this rank has contributed to
    Counter released;             ///< buffers that it is done with
    Counter summed;               ///< small sums that it has contributed to
    double small[2][kSmallValues] = {};  ///< its contributions to the last two of those
};

/// One rank's view. The memory lives as long as any rank maps it, and leaves no file behind.
/// All methods are called by one thread.
class SharedMemory {
public:
    /// @param ranks of the group, as the run numbers them, for messages; @param rank this one's place among them
    /// @throws EngineError Failure when the system gives no memory.
    SharedMemory(int rank, std::vector<int> ranks, std::uint64_t token, std::chrono::milliseconds timeout);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    /// Where this rank's file can be opened from, as it tells the others: "pid descriptor device inode".
    std::string address() const;

    /// @return false when a rank's file cannot be opened from here (another host, another container or user).
    bool open(const std::vector<std::string>& addresses);

    /// A block at the same offset of every rank's file. Collective in that all ranks ask for the same sizes in
    /// the same order. @return where each rank's block lies in this process.
    /// @throws EngineError OutOfMemory
    std::vector<std::byte*> allocate(std::int64_t bytes);

    /// A block that lies once for all ranks, in the file of rank 0. Collective as above.
    std::byte* allocateOneCopy(std::int64_t bytes);

    RankCounters& counters(int rank) { return *m_counters[static_cast<std::size_t>(rank)]; }

    /// Adds one to a counter of this rank and wakes who waits for it.
    std::uint32_t advance(RankCounters::Counter RankCounters::*counter);

    /// Returns when every rank's counter has reached @p target.
    /// @throws EngineError LostPeer naming @p what and the rank that is gone or did not come in time.
    void await(RankCounters::Counter RankCounters::*counter, std::uint32_t target, const std::string& what);

private:
    void awaitRank(int rank, RankCounters::Counter& counter, std::uint32_t target, const std::string& what);
    bool isGone(int rank) const;

    std::int64_t takeOffset(int owner, std::int64_t bytes);

    struct Mapping {
        void* address;
        std::size_t bytes;
    };
    std::byte* map(int descriptor, std::int64_t offset, std::int64_t bytes);

    int m_rank;
    int m_size;
    std::vector<int> m_names;      ///< of the ranks
    std::uint64_t m_token;
    std::chrono::milliseconds m_timeout;
    std::vector<int> m_files;      ///< by rank
    std::vector<int> m_processes;  ///< pidfd by rank, -1 for oneself
    std::vector<RankCounters*> m_counters;
    std::vector<Mapping> m_mappings;
    std::int64_t m_next;           ///< offset of the next block
};

}  // namespace engine

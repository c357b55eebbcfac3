// Collectives of ranks that share memory: nothing travels, everybody reads in place.
#pragma once
#include "engine/comm/group.h"
#include "engine/comm/shared_memory.h"

#include <map>

namespace engine {

/// CPU only. Sums run in the order of ranks, in float32: equal on every rank and every run.
class SharedMemoryGroup final : public Group {
public:
    SharedMemoryGroup(std::unique_ptr<SharedMemory> memory, int rank, int size);

    bool sharesMemory() const override { return true; }
    at::Tensor allocate(std::int64_t bytes, Sharing sharing, c10::Device device) override;
    std::uint32_t noteRelease() override;

    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) override;
    Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what) override;
    Pending startAllReduce(const at::Tensor& values, const std::string& what) override;
    Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;
    Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;

protected:
    Pending startBarrier(const std::string& what) override;
    void finishRelease(std::uint32_t ticket) override;

private:
    struct Arrival;
    struct Sum;

    struct Copies;
    void publish(const void* data, std::int64_t bytes);
    void gather(const at::Tensor& full, const std::string& what);
    void sumInPieces(const at::Tensor& values, const std::string& what);

    std::unique_ptr<SharedMemory> m_memory;
    std::map<const void*, std::vector<std::byte*>> m_blocks;  ///< of OnePerRank memory, by this rank's address
    std::map<const void*, std::size_t> m_oneCopies;           ///< bytes of OneCopy memory, by address
    std::vector<std::byte*> m_staging;                        ///< of each rank, for tensors that lie elsewhere
    std::int64_t m_stagingBytes = 0;
    std::uint32_t m_stagingTicket = 0;                        ///< nobody reads it any more: see noteRelease
    std::uint32_t m_collectives = 0;
    std::uint32_t m_sums = 0;
};

}  // namespace engine

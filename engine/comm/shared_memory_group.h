// Collectives of ranks that share memory: data is not sent, each rank reads it where it was written.
#pragma once
#include "engine/comm/group.h"
#include "engine/comm/shared_memory.h"

#include <map>

namespace engine {

/// CPU only. Sums are taken in rank order, in float32 or wider: equal on every rank and in every run.
class SharedMemoryGroup final : public Group {
public:
    SharedMemoryGroup(std::unique_ptr<SharedMemory> memory, int rank, int size);

    bool sharesMemory() const override { return true; }
    at::Tensor allocate(std::int64_t bytes, Sharing sharing, c10::Device device) override;
    void free(const at::Tensor& buffer, std::uint32_t ticket) override;
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
    std::map<const void*, std::vector<std::byte*>> m_blocks;  ///< all ranks' OnePerRank blocks, by this rank's address
    std::map<const void*, std::size_t> m_oneCopies;           ///< bytes of OneCopy memory, by address
    std::vector<std::byte*> m_staging;                        ///< each rank's block, for tensors outside shared memory
    std::int64_t m_stagingBytes = 0;
    std::uint32_t m_stagingTicket = 0;                        ///< of noteRelease(), after this rank has read m_staging
    std::uint32_t m_collectives = 0;
    std::uint32_t m_sums = 0;
};

}  // namespace engine

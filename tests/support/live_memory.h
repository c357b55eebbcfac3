// Counts the bytes that this thread has allocated from LibTorch's CPU allocator and not freed.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

namespace tests {

/// Counts from its construction on. At most one object may exist at a time.
class LiveMemory {
public:
    /// Bytes in use now, and the maximum so far.
    std::int64_t bytes() const { return m_record->bytes; }
    std::int64_t mostBytes() const { return m_record->mostBytes; }
    void resetMost() { m_record->mostBytes = m_record->bytes; }

    /// Blocks of exactly that size: those in use now, and all that were allocated so far.
    std::int64_t blocks(std::int64_t size) const { return countIn(m_record->blocks, size); }
    std::int64_t everBlocks(std::int64_t size) const { return countIn(m_record->everBlocks, size); }

private:
    using Counts = std::map<std::int64_t, std::int64_t>;

    struct Record final : c10::MemoryReportingInfoBase {
        void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override
        {
            bytes += size;
            mostBytes = std::max(mostBytes, bytes);
            blocks[size < 0 ? -size : size] += size < 0 ? -1 : 1;
            everBlocks[size] += 1;
        }
        bool memoryProfilingEnabled() const override { return true; }

        std::int64_t bytes = 0, mostBytes = 0;
        Counts blocks, everBlocks;
    };

    static std::int64_t countIn(const Counts& counts, std::int64_t size)
    {
        const auto found = counts.find(size);
        return found == counts.end() ? 0 : found->second;
    }

    std::shared_ptr<Record> m_record = std::make_shared<Record>();
    c10::DebugInfoGuard m_guard {c10::DebugInfoKind::PROFILER_STATE, m_record};
};

}  // namespace tests

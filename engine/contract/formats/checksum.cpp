#include "engine/contract/formats/checksum.h"

#include "engine/contract/formats/input_file.h"

#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // GCC cannot honour the header's forced inlining without optimisation
#endif
#define XXH_INLINE_ALL  // header-only: no library to link or to install with Atelier
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace contract {

struct Checksum::State {
    XXH3_state_t xxh3;
};

Checksum::Checksum()
    : m_state(std::make_unique<State>())
{
    XXH3_64bits_reset(&m_state->xxh3);
}

Checksum::~Checksum() = default;

void Checksum::add(const void* data, std::size_t bytes) { XXH3_64bits_update(&m_state->xxh3, data, bytes); }

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(&m_state->xxh3); }

std::string Checksum::text() const
{
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value()));
    return digits;
}

void Checksum::reset() { XXH3_64bits_reset(&m_state->xxh3); }

std::uint64_t checksumOf(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

void BlockChecksums::add(const void* data, std::size_t bytes)
{
    const auto* cursor = static_cast<const std::byte*>(data);
    while (bytes > 0) {
        const std::size_t count = std::min(bytes, m_blockBytes - m_filled);
        m_block.add(cursor, count);
        cursor += count;
        bytes -= count;
        m_filled += count;
        if (m_filled == m_blockBytes) {
            m_complete.push_back(m_block.value());
            m_block.reset();
            m_filled = 0;
        }
    }
}

std::vector<std::uint64_t> BlockChecksums::finish()
{
    if (m_filled > 0)
        m_complete.push_back(m_block.value());
    return std::move(m_complete);
}

std::string checksumOf(const std::filesystem::path& file, const std::function<bool()>& isWanted)
{
    constexpr std::uint64_t kChunkBytes = std::uint64_t {1} << 20;
    const InputFile input(file);
    Checksum checksum;
    std::vector<std::byte> chunk(kChunkBytes);
    for (std::uint64_t done = 0; done < input.bytes(); done += kChunkBytes) {
        const std::uint64_t count = std::min(kChunkBytes, input.bytes() - done);
        input.read(chunk.data(), count, done);
        checksum.add(chunk.data(), count);
        if (isWanted && !isWanted())
            return {};
    }
    return checksum.text();
}

}  // namespace contract

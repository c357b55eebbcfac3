#include "engine/contract/checkpoint/checkpoint_file.h"

#include "engine/contract/checkpoint/damage_mark.h"
#include "engine/contract/formats/checksum.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace contract {
namespace {

constexpr std::uint64_t kLaterBytes = std::uint64_t {1} << 20;

[[noreturn]] void refuseDamaged(const std::filesystem::path& file, const std::string& damage)
{
    markDamaged(file.parent_path(), file.filename().string() + ": " + damage);
    throw std::runtime_error(file.string() + ": " + damage);
}

}  // namespace

CheckpointFile::CheckpointFile(const std::filesystem::path& folder, const CheckpointManifest& manifest, const std::string& name)
    : m_file(folder / name)
    , m_blockBytes(manifest.blockBytes)
{
    if (m_file.bytes() != manifest.fileBytes.at(name))
        throw std::runtime_error(m_file.path().string() + ": has another size than its manifest lists");
    const auto blocks = manifest.blocks.find(name);
    const auto whole = manifest.checksums.find(name);
    if (blocks != manifest.blocks.end())
        m_checksums = &blocks->second;
    else if (whole != manifest.checksums.end() && checksumOf(m_file.path()) != whole->second)
        refuseDamaged(m_file.path(), "its checksum does not match, so its content is damaged");
}

void CheckpointFile::read(void* into, std::uint64_t bytes, std::uint64_t offset, const Later& later)
{
    if (!m_checksums)
        return m_file.read(into, bytes, offset);
    if (offset > m_file.bytes() || bytes > m_file.bytes() - offset)
        throw std::runtime_error(m_file.path().string() + " ends early");
    auto* cursor = static_cast<std::byte*>(into);
    while (bytes > 0) {
        const std::uint64_t block = offset / m_blockBytes, begin = block * m_blockBytes;
        const std::uint64_t length = std::min(m_blockBytes, m_file.bytes() - begin);
        std::uint64_t count = std::min(bytes, begin + length - offset);
        if (count == length)
            count = readBlocks(cursor, block, std::max<std::uint64_t>(bytes / m_blockBytes, 1), later);
        else
            std::memcpy(cursor, keptBlock(block, length) + (offset - begin), count);
        cursor += count;
        offset += count;
        bytes -= count;
    }
}

std::uint64_t CheckpointFile::readBlocks(std::byte* into, std::uint64_t first, std::uint64_t count, const Later& later)
{
    // Compared at once, a block is still in the CPU cache. Later, fewer comparisons cost fewer wake-ups of a thread.
    const std::uint64_t most = later ? std::max<std::uint64_t>(kLaterBytes / m_blockBytes, 1) : 1;
    const std::uint64_t begin = first * m_blockBytes;
    const std::uint64_t bytes = std::min(std::min(count, most) * m_blockBytes, m_file.bytes() - begin);
    m_file.read(into, bytes, begin);
    const auto compare = [this, into, first, bytes] {
        for (std::uint64_t done = 0; done < bytes; done += m_blockBytes)
            check(first + done / m_blockBytes, into + done, std::min(m_blockBytes, bytes - done));
    };
    later ? later(compare) : compare();
    return bytes;
}

const std::byte* CheckpointFile::keptBlock(std::uint64_t block, std::uint64_t bytes)
{
    if (m_keptBlock != block) {
        m_keptBlock = std::numeric_limits<std::uint64_t>::max();
        m_kept.resize(m_blockBytes);
        m_file.read(m_kept.data(), bytes, block * m_blockBytes);
        check(block, m_kept.data(), bytes);
        m_keptBlock = block;
    }
    return m_kept.data();
}

void CheckpointFile::check(std::uint64_t block, const void* data, std::uint64_t bytes) const
{
    if (checksumOf(data, bytes) != (*m_checksums)[block])
        refuseDamaged(m_file.path(), "a checksum does not match, so its content is damaged between the bytes "
            + std::to_string(block * m_blockBytes) + " and " + std::to_string(block * m_blockBytes + bytes));
}

}  // namespace contract

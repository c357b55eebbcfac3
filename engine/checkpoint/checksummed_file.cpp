#include "engine/checkpoint/checksummed_file.h"

#include <algorithm>

namespace engine {

ChecksummedFile::ChecksummedFile(const std::filesystem::path& file, std::uint64_t bytes)
    : m_folder(file.parent_path())
    , m_output(file, bytes)
    , m_blocks(contract::kBlockBytes)
{
}

void ChecksummedFile::write(const void* data, std::size_t bytes)
{
    const auto* const from = static_cast<const std::byte*>(data);
    constexpr std::size_t kChunkBytes = std::size_t {1} << 20;  // stays in the CPU cache between the two checksums
    for (std::size_t done = 0; done < bytes; done += kChunkBytes) {
        const std::size_t count = std::min(kChunkBytes, bytes - done);
        m_blocks.add(from + done, count);
        m_output.write(from + done, count);
    }
}

FileChecksums ChecksummedFile::finish()
{
    m_output.sync();
    contract::syncFolder(m_folder);
    return {m_output.written(), m_output.checksum().value(), m_blocks.finish()};
}

}  // namespace engine

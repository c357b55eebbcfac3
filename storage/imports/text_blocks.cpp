#include "storage/imports/text_blocks.h"

#include <algorithm>
#include <cstring>

namespace storage {

TextBlocks::TextBlocks(const std::filesystem::path& file)
    : m_file(file)
{
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (ahead(kByteOrderMark.size()).starts_with(kByteOrderMark))
        skip(kByteOrderMark.size());
}

void TextBlocks::fill(std::size_t bytes)
{
    constexpr std::size_t kBlockBytes = std::size_t {1} << 18;
    std::memmove(m_buffer.data(), m_buffer.data() + m_at, m_end - m_at);
    m_end -= m_at;
    m_at = 0;
    const std::size_t wanted = std::max(bytes, kBlockBytes);
    if (m_buffer.size() < wanted)
        m_buffer.resize(wanted);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(m_buffer.size() - m_end, m_file.bytes() - m_read));
    m_file.read(m_buffer.data() + m_end, count, m_read);
    m_end += count;
    m_read += count;
}

}  // namespace storage

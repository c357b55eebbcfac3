#include "engine/contract/records/record_reader.h"

#include "engine/contract/records/crc32.h"
#include "engine/contract/records/event_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace contract {
namespace {

constexpr std::size_t kReadBytes = std::size_t {1} << 20;
constexpr char kTorn[] = "ends within a record, as while it is being written; what comes before was read";

template <typename Word>
Word wordAt(std::string_view bytes, std::size_t place)
{
    static_assert(std::endian::native == std::endian::little);
    Word word {};
    std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
}

}  // namespace

std::string_view RecordReader::take(std::uint64_t bytes)
{
    const std::size_t kept = m_buffer.size() - m_at;
    if (kept < bytes) {
        const std::uint64_t wanted = std::min(std::max<std::uint64_t>(bytes, kReadBytes), left());
        std::string next(wanted, '\0');
        std::memcpy(next.data(), m_buffer.data() + m_at, kept);
        m_file.read(next.data() + kept, wanted - kept, m_offset + kept);
        m_buffer = std::move(next);
        m_at = 0;
    }
    const std::string_view taken(m_buffer.data() + m_at, bytes);
    m_at += bytes;
    m_offset += bytes;
    return taken;
}

void RecordReader::skip(std::uint64_t bytes)
{
    m_at += std::min<std::uint64_t>(bytes, m_buffer.size() - m_at);
    m_offset += bytes;
    if (m_at == m_buffer.size()) {
        m_buffer.clear();
        m_at = 0;
    }
}

std::nullopt_t RecordReader::end(std::string reason)
{
    m_ending = std::move(reason);
    return std::nullopt;
}

std::optional<std::string_view> EventRecords::next()
{
    constexpr std::uint64_t kHeader = 12, kFooter = 4;
    while (left() > 0) {
        if (left() < kHeader + kFooter)
            return end(kTorn);
        const std::uint64_t begin = offset();
        const std::string_view header = take(kHeader);
        const auto length = wordAt<std::uint64_t>(header, 0);
        if (maskedCrc(header.substr(0, 8)) != wordAt<std::uint32_t>(header, 8))
            return end("is damaged from byte " + std::to_string(begin) + " on; what comes before was read");
        if (length > left() - kFooter)
            return end(kTorn);
        if (length > kMostRecordBytes) {
            countDamaged();
            skip(length + kFooter);
            continue;
        }
        const std::string_view body = take(length + kFooter);
        const std::string_view content = body.substr(0, length);
        if (maskedCrc(content) == wordAt<std::uint32_t>(body, length))
            return content;
        countDamaged();
    }
    return std::nullopt;
}

WandbRecords::WandbRecords(const std::filesystem::path& path)
    : RecordReader(path)
{
    constexpr std::string_view kMagic(":W&B\xe1\xbe", 6);
    constexpr std::uint64_t kHeader = 7;  // the magic and a version
    if (left() < kHeader || take(kHeader).substr(0, kMagic.size()) != kMagic)
        throw std::runtime_error(path.string() + ": is not the log of a Weights & Biases run");
}

std::optional<std::string_view> WandbRecords::next()
{
    constexpr std::uint64_t kBlock = 32768, kHeader = 7;
    enum Fragment : unsigned char { Full = 1, First = 2, Middle = 3, Last = 4 };
    m_record.clear();
    bool isWithin = false;
    while (left() > 0) {
        const std::uint64_t room = kBlock - offset() % kBlock;
        if (room < kHeader) {
            skip(std::min(room, left()));  // filled with zeros
            continue;
        }
        const std::uint64_t begin = offset();
        if (left() < kHeader)
            return end(kTorn);
        const std::string_view header = take(kHeader);
        const auto crc = wordAt<std::uint32_t>(header, 0);
        const std::uint64_t length = wordAt<std::uint16_t>(header, 4);
        const auto kind = static_cast<unsigned char>(header[6]);
        if (kind == 0 && length == 0 && crc == 0) {  // room that was allocated and not written
            skip(std::min(room - kHeader, left()));
            continue;
        }
        if (length > left())
            return end(kTorn);
        const std::uint32_t kindCrc = crc32(header.substr(6));
        const std::string_view content = take(length);
        const bool isExpected = kind == Full || kind == First ? !isWithin : isWithin && (kind == Middle || kind == Last);
        if (crc32(content, kindCrc) != crc || !isExpected || length > room - kHeader)
            return end("is damaged from byte " + std::to_string(begin) + " on; what comes before was read");
        isWithin = kind == First || kind == Middle;
        if (m_record.size() + content.size() <= kMostRecordBytes)
            m_record += content;
        if (isWithin)
            continue;
        return m_record;
    }
    return isWithin ? end(kTorn) : std::nullopt;
}

}  // namespace contract

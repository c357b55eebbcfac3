#include "launcher/base/tar_stream.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace launcher {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kPathBytes = 100;
constexpr std::uint64_t kMostPlainBytes = 077777777777;  // what eleven octal digits hold
constexpr std::uint64_t kMostExtendedBytes = 1 << 20;    // of an extended header
constexpr char kFile = '0', kFolder = '5', kExtended = 'x';

/// The header of an entry (POSIX 1003.1, ustar).
struct Header {
    char path[kPathBytes];
    char mode[8];
    char user[8];
    char group[8];
    char size[12];
    char changed[12];
    char checksum[8];
    char type;
    char link[100];
    char magic[6];
    char version[2];
    char userName[32];
    char groupName[32];
    char deviceMajor[8];
    char deviceMinor[8];
    char prefix[155];
    char unused[12];
};
static_assert(sizeof(Header) == kBlock);

std::uint64_t paddingOf(std::uint64_t bytes) { return (kBlock - bytes % kBlock) % kBlock; }

template <std::size_t size>
void putOctal(char (&field)[size], std::uint64_t value)
{
    for (std::size_t digit = size - 1; digit-- > 0; value /= 8)
        field[digit] = static_cast<char>('0' + value % 8);
    field[size - 1] = '\0';
}

/// The number in a field of octal digits, which a space or NUL ends; nullopt when it is none.
template <std::size_t size>
std::optional<std::uint64_t> octal(const char (&field)[size])
{
    std::uint64_t value = 0;
    std::size_t at = 0;
    while (at < size && field[at] == ' ')
        ++at;
    const std::size_t first = at;
    for (; at < size && field[at] >= '0' && field[at] <= '7'; ++at)
        value = value * 8 + static_cast<std::uint64_t>(field[at] - '0');
    if (at == first || (at < size && field[at] != ' ' && field[at] != '\0'))
        return std::nullopt;
    return value;
}

template <std::size_t size>
std::string textIn(const char (&field)[size])
{
    return {field, ::strnlen(field, size)};
}

std::uint64_t checksumOf(Header header)
{
    std::ranges::fill(header.checksum, ' ');
    std::array<unsigned char, kBlock> bytes {};
    std::memcpy(bytes.data(), &header, kBlock);
    std::uint64_t sum = 0;
    for (const unsigned char byte : bytes)
        sum += byte;
    return sum;
}

/// "30 path=…\n", whose number is the length of all of it.
std::string record(const std::string& key, const std::string& value)
{
    const std::size_t rest = key.size() + value.size() + 3;
    std::size_t length = rest + std::to_string(rest).size();
    length = rest + std::to_string(length).size();
    return std::to_string(length) + " " + key + "=" + value + "\n";
}

std::string extendedHeader(const TarEntry& entry)
{
    std::string text;
    if (entry.path.size() + (entry.isFolder ? 1 : 0) > kPathBytes)
        text += record("path", entry.path + (entry.isFolder ? "/" : ""));
    if (entry.bytes > kMostPlainBytes)
        text += record("size", std::to_string(entry.bytes));
    return text;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("the archive " + what); }

/// Takes what of an extended header is used: path and size.
void applyExtended(std::string_view text, TarEntry& entry, std::optional<std::uint64_t>& bytes)
{
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const auto length = contract::parseInteger(text.substr(0, space));
        if (space == std::string_view::npos || !length || *length < 0 || static_cast<std::size_t>(*length) <= space + 1
            || static_cast<std::size_t>(*length) > text.size())
            fail("is damaged: an extended header is malformed");
        const std::string_view field = text.substr(space + 1, static_cast<std::size_t>(*length) - space - 2);
        if (field.starts_with("path="))
            entry.path = field.substr(5);
        if (field.starts_with("size=")) {
            const auto size = contract::parseInteger(field.substr(5));
            if (!size || *size < 0)
                fail("is damaged: an extended header is malformed");
            bytes = static_cast<std::uint64_t>(*size);
        }
        text.remove_prefix(static_cast<std::size_t>(*length));
    }
}

}  // namespace

std::uint64_t tarBytes(const TarEntry& entry)
{
    const std::uint64_t extended = extendedHeader(entry).size();
    return kBlock + entry.bytes + paddingOf(entry.bytes) + (extended > 0 ? kBlock + extended + paddingOf(extended) : 0);
}

TarWriter::TarWriter(Write write)
    : m_write(std::move(write))
{
}

void TarWriter::begin(const TarEntry& entry)
{
    pad();
    const std::string path = entry.path + (entry.isFolder ? "/" : "");
    if (const std::string extended = extendedHeader(entry); !extended.empty()) {
        writeHeader(path.substr(0, kPathBytes), kExtended, extended.size(), entry.changedSeconds);
        write(extended.data(), extended.size());
        pad();
    }
    writeHeader(path.substr(0, kPathBytes), entry.isFolder ? kFolder : kFile, std::min(entry.bytes, kMostPlainBytes), entry.changedSeconds);
}

void TarWriter::writeHeader(const std::string& path, char type, std::uint64_t bytes, std::int64_t changedSeconds)
{
    Header header {};
    path.copy(header.path, kPathBytes);
    putOctal(header.mode, type == kFolder ? 0700 : 0600);
    putOctal(header.user, 0);
    putOctal(header.group, 0);
    putOctal(header.size, bytes);
    putOctal(header.changed, static_cast<std::uint64_t>(std::max<std::int64_t>(changedSeconds, 0)));
    header.type = type;
    std::memcpy(header.magic, "ustar", 6);
    std::memcpy(header.version, "00", 2);
    putOctal(header.checksum, checksumOf(header));
    write(&header, kBlock);
}

void TarWriter::write(const void* data, std::size_t bytes)
{
    m_position += bytes;
    m_write(data, bytes);
}

void TarWriter::pad()
{
    static constexpr std::array<char, kBlock> kZeros {};
    write(kZeros.data(), paddingOf(m_position));
}

void TarWriter::finish()
{
    static constexpr std::array<char, kTarEndBytes> kZeros {};
    pad();
    write(kZeros.data(), kZeros.size());
}

TarReader::TarReader(Read read)
    : m_read(std::move(read))
{
}

void TarReader::require(void* data, std::size_t bytes)
{
    if (m_read(data, bytes) != bytes)
        fail("ends too early: it was not copied or written to its end");
}

void TarReader::skip(std::uint64_t bytes)
{
    std::array<char, 65536> block {};
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, block.size()))
        require(block.data(), std::min<std::uint64_t>(bytes, block.size()));
}

std::string TarReader::readText(std::uint64_t bytes)
{
    if (bytes > kMostExtendedBytes)
        fail("is damaged: an extended header is too long");
    std::string text(bytes, '\0');
    require(text.data(), text.size());
    skip(paddingOf(bytes));
    return text;
}

std::optional<TarEntry> TarReader::next()
{
    skip(m_left + m_padding);
    m_left = m_padding = 0;
    TarEntry entry;
    std::optional<std::uint64_t> extendedBytes;
    for (bool isExtended = false;; isExtended = true) {
        Header header {};
        require(&header, kBlock);
        if (std::ranges::all_of(std::string_view(reinterpret_cast<const char*>(&header), kBlock), [](char byte) { return byte == '\0'; }))
            return std::nullopt;
        const auto bytes = octal(header.size), changed = octal(header.changed), checksum = octal(header.checksum);
        if (std::memcmp(header.magic, "ustar", 5) != 0 || !checksum)
            fail("is not a tar archive");
        if (!bytes || !changed || *checksum != checksumOf(header))
            fail("is damaged: a header does not have its checksum");
        if (header.type == kExtended && !isExtended) {
            applyExtended(readText(*bytes), entry, extendedBytes);
            continue;
        }
        if (entry.path.empty())
            entry.path = (header.prefix[0] ? textIn(header.prefix) + "/" : "") + textIn(header.path);
        if (header.type != kFile && header.type != '\0' && header.type != kFolder)
            fail("has " + contract::inQuotes(contract::shortened(entry.path)) + ", which is neither a file nor a folder");
        entry.isFolder = header.type == kFolder;
        if (entry.isFolder && entry.path.ends_with('/'))
            entry.path.pop_back();
        entry.bytes = entry.isFolder ? 0 : extendedBytes.value_or(*bytes);
        entry.changedSeconds = static_cast<std::int64_t>(*changed);
        m_left = entry.bytes;
        m_padding = paddingOf(entry.bytes);
        return entry;
    }
}

std::size_t TarReader::read(void* data, std::size_t bytes)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, m_left));
    require(data, count);
    m_left -= count;
    return count;
}

}  // namespace launcher

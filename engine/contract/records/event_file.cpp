#include "engine/contract/records/event_file.h"

#include <bit>
#include <cstring>

namespace contract {
namespace {

constexpr std::size_t kFlushBytes = std::size_t {1} << 20;

template <typename Value>
void appendBytes(std::string& to, Value value)
{
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
}

// Protocol buffers: a field is its number and type, then its value.
enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

void appendVarint(std::string& to, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        to += static_cast<char>((value & 0x7f) | 0x80);
    to += static_cast<char>(value);
}

void appendKey(std::string& to, unsigned field, WireType type)
{
    appendVarint(to, field << 3 | type);
}

void appendNumber(std::string& to, unsigned field, std::uint64_t value)
{
    appendKey(to, field, kVarint);
    appendVarint(to, value);
}

void appendText(std::string& to, unsigned field, std::string_view value)
{
    appendKey(to, field, kLength);
    appendVarint(to, value.size());
    to += value;
}

std::uint32_t bigEndian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(0, 4))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

}  // namespace

std::uint32_t maskedCrc(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8U; }

EventWriter::EventWriter(const std::filesystem::path& file, double unixSeconds)
    : m_file(file, 0)
{
    std::string event;
    appendKey(event, 1, kFixed64);
    appendBytes(event, unixSeconds);
    appendText(event, 3, "brain.Event:2");
    addRecord(event);
}

void EventWriter::addScalar(std::string_view tag, std::int64_t step, double unixSeconds, double value)
{
    std::string summary;
    appendText(summary, 1, tag);
    appendKey(summary, 2, kFixed32);
    appendBytes(summary, static_cast<float>(value));
    addValue(summary, step, unixSeconds);
}

void EventWriter::addText(std::string_view tag, std::int64_t step, double unixSeconds, std::string_view text)
{
    std::string dimension, shape, tensor, plugin, metadata, summary;
    appendNumber(dimension, 1, 1);
    appendText(shape, 2, dimension);
    constexpr std::uint64_t kString = 7;
    appendNumber(tensor, 1, kString);
    appendText(tensor, 2, shape);
    appendText(tensor, 8, text);
    appendText(plugin, 1, "text");
    appendText(metadata, 1, plugin);
    appendText(summary, 1, tag);
    appendText(summary, 8, tensor);
    appendText(summary, 9, metadata);
    addValue(summary, step, unixSeconds);
}

void EventWriter::addPng(std::string_view tag, std::int64_t step, double unixSeconds, std::string_view content)
{
    constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
    constexpr std::size_t kWidthAt = 16, kHeightAt = 20, kLeast = 24;
    if (!content.starts_with(kSignature) || content.size() < kLeast)
        return;
    std::string image, summary;
    appendNumber(image, 1, bigEndian(content.substr(kHeightAt)));
    appendNumber(image, 2, bigEndian(content.substr(kWidthAt)));
    constexpr std::uint64_t kRgb = 3;
    appendNumber(image, 3, kRgb);
    appendText(image, 4, content);
    appendText(summary, 1, tag);
    appendText(summary, 4, image);
    addValue(summary, step, unixSeconds);
}

void EventWriter::addValue(std::string_view value, std::int64_t step, double unixSeconds)
{
    std::string summary, event;
    appendText(summary, 1, value);
    appendKey(event, 1, kFixed64);
    appendBytes(event, unixSeconds);
    appendNumber(event, 2, static_cast<std::uint64_t>(step));
    appendText(event, 5, summary);
    addRecord(event);
}

void EventWriter::addRecord(std::string_view event)
{
    std::string length;
    appendBytes(length, static_cast<std::uint64_t>(event.size()));
    m_buffer += length;
    appendBytes(m_buffer, maskedCrc(length));
    m_buffer += event;
    appendBytes(m_buffer, maskedCrc(event));
    if (m_buffer.size() >= kFlushBytes)
        flush();
}

void EventWriter::flush()
{
    m_file.output().write(m_buffer.data(), m_buffer.size());
    m_buffer.clear();
}

void EventWriter::finish()
{
    flush();
    m_file.finish();
}

}  // namespace contract

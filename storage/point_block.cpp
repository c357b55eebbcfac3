#include "storage/point_block.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

static_assert(std::endian::native == std::endian::little, "blobs are little-endian");

namespace storage {
namespace {

enum class Steps : std::uint8_t {
    Stride,  ///< the first step and one difference
    Varied,  ///< the first step, then each difference
};
enum class Times : std::uint8_t {
    Microseconds,  ///< integers: the first time, then each difference
    Doubles,
};
enum class Values : std::uint8_t { Doubles, Floats };

class Writer {
public:
    explicit Writer(std::size_t capacity) { m_bytes.reserve(capacity); }

    template <typename Value>
    void raw(const Value& value)
    {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    /// Zigzag variable-length encoding: small numbers of either sign take few bytes.
    void varint(std::int64_t value)
    {
        auto rest = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
        for (; rest >= 128; rest >>= 7)
            m_bytes += static_cast<char>(rest | 128);
        m_bytes += static_cast<char>(rest);
    }
    Bytes take() { return std::move(m_bytes); }

private:
    Bytes m_bytes;
};

class Reader {
public:
    explicit Reader(std::string_view bytes)
        : m_rest(bytes)
    {
    }
    template <typename Value>
    Value raw()
    {
        Value value;
        need(sizeof value);
        std::memcpy(&value, m_rest.data(), sizeof value);
        m_rest.remove_prefix(sizeof value);
        return value;
    }
    std::int64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = raw<std::uint8_t>();
            value |= static_cast<std::uint64_t>(byte & 127) << shift;
            if (byte < 128)
                return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
        }
        fail();
    }
    /// Fails unless at least @p count items of @p size bytes are left.
    void need(std::size_t size, std::size_t count = 1) const
    {
        if (m_rest.size() / size < count)
            fail();
    }
    [[noreturn]] static void fail()
    {
        throw SQLite::Exception("a block of points is damaged", SQLITE_CORRUPT);
    }

private:
    std::string_view m_rest;
};

/// Wraps around like unsigned arithmetic, so that it is defined for any two steps.
std::int64_t difference(std::int64_t later, std::int64_t earlier)
{
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier));
}

std::int64_t sum(std::int64_t value, std::int64_t change)
{
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(change));
}

bool isSame(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::int64_t microseconds(double ms) { return std::llround(ms * 1000); }

bool isWholeMicroseconds(const Point& point)
{
    constexpr double kLongestMs = 4e12;  // 126 years; microseconds are exact up to there
    return std::abs(point.tMs) < kLongestMs
        && isSame(static_cast<double>(microseconds(point.tMs)) / 1000, point.tMs);
}

bool isFloat(const Point& point)
{
    return std::abs(point.value) <= 3e38
        && isSame(static_cast<double>(static_cast<float>(point.value)), point.value);
}

void writeSteps(std::span<const Point> points, Writer& out)
{
    const std::int64_t stride = points.size() > 1 ? difference(points[1].step, points[0].step) : 1;
    const auto breaks = [stride](const Point& a, const Point& b) { return difference(b.step, a.step) != stride; };
    const bool isRegular = std::ranges::adjacent_find(points, breaks) == points.end();
    out.raw(isRegular ? Steps::Stride : Steps::Varied);
    out.raw(points.front().step);
    if (isRegular) {
        out.raw(stride);
        return;
    }
    for (std::size_t i = 1; i < points.size(); ++i)
        out.varint(difference(points[i].step, points[i - 1].step));
}

void writeTimes(std::span<const Point> points, Writer& out)
{
    const bool isWhole = std::ranges::all_of(points, isWholeMicroseconds);
    out.raw(isWhole ? Times::Microseconds : Times::Doubles);
    std::int64_t former = 0;
    for (const Point& point : points) {
        if (isWhole)
            out.varint(microseconds(point.tMs) - std::exchange(former, microseconds(point.tMs)));
        else
            out.raw(point.tMs);
    }
}

void writeValues(std::span<const Point> points, Writer& out)
{
    const bool areFloats = std::ranges::all_of(points, isFloat);
    out.raw(areFloats ? Values::Floats : Values::Doubles);
    for (const Point& point : points) {
        if (areFloats)
            out.raw(static_cast<float>(point.value));
        else
            out.raw(point.value);
    }
}

void readSteps(Reader& in, std::span<Point> points)
{
    const auto kind = in.raw<Steps>();
    points.front().step = in.raw<std::int64_t>();
    const std::int64_t stride = kind == Steps::Stride ? in.raw<std::int64_t>() : 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        points[i].step = sum(points[i - 1].step, kind == Steps::Stride ? stride : in.varint());
}

void readTimes(Reader& in, std::span<Point> points)
{
    const auto kind = in.raw<Times>();
    std::int64_t former = 0;
    for (Point& point : points) {
        if (kind == Times::Microseconds)
            point.tMs = static_cast<double>(former = sum(former, in.varint())) / 1000;
        else
            point.tMs = in.raw<double>();
    }
}

void readValues(Reader& in, std::span<Point> points)
{
    const auto kind = in.raw<Values>();
    for (Point& point : points)
        point.value = kind == Values::Floats ? static_cast<double>(in.raw<float>()) : in.raw<double>();
}

}  // namespace

Bytes encodePoints(std::span<const Point> points)
{
    if (points.empty())
        return {};
    Writer out(32 + points.size() * 18);
    out.raw(static_cast<std::uint32_t>(points.size()));
    writeSteps(points, out);
    writeTimes(points, out);
    writeValues(points, out);
    return out.take();
}

void decodePoints(std::string_view bytes, std::vector<Point>& points)
{
    if (bytes.empty())
        return;
    Reader in(bytes);
    const auto count = in.raw<std::uint32_t>();
    in.need(5, count);  // so that a damaged count cannot cause a huge allocation
    if (count == 0)
        Reader::fail();
    const std::size_t former = points.size();
    points.resize(former + count);
    const auto added = std::span(points).subspan(former);
    readSteps(in, added);
    readTimes(in, added);
    readValues(in, added);
}

}  // namespace storage

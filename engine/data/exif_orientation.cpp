#include "engine/data/exif_orientation.h"

#include "engine/data/picture_formats.h"

#include <optional>
#include <utility>

namespace engine {
namespace {

/// Numbers in a file, of either byte order; nothing beyond its end.
class Bytes {
public:
    enum class Order { BigEndian, LittleEndian };

    Bytes(std::string_view bytes, Order order)
        : m_bytes(bytes)
        , m_order(order)
    {
    }

    std::optional<std::uint32_t> number(std::uint64_t place, int size) const
    {
        if (place + static_cast<std::uint64_t>(size) > m_bytes.size())
            return std::nullopt;
        std::uint32_t value = 0;
        for (int index = 0; index < size; ++index) {
            const int digit = m_order == Order::BigEndian ? index : size - 1 - index;
            value = value << 8 | static_cast<unsigned char>(m_bytes[place + static_cast<std::uint64_t>(digit)]);
        }
        return value;
    }

private:
    std::string_view m_bytes;
    Order m_order;
};

/// @param tiff header and directory, as EXIF has them.
int orientationOf(std::string_view tiff)
{
    if (tiff.starts_with(std::string_view("Exif\0\0", 6)))
        tiff.remove_prefix(6);
    if (!tiff.starts_with("II") && !tiff.starts_with("MM"))
        return 1;
    const Bytes bytes(tiff, tiff[0] == 'M' ? Bytes::Order::BigEndian : Bytes::Order::LittleEndian);
    const auto directory = bytes.number(4, 4);
    const auto count = directory ? bytes.number(*directory, 2) : std::nullopt;
    for (std::uint64_t entry = 0; count && entry < *count; ++entry) {
        const std::uint64_t place = *directory + 2 + entry * 12;
        if (bytes.number(place, 2) != 0x0112U)
            continue;
        const std::uint32_t value = bytes.number(place + 8, 2).value_or(1);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

/// What the APP1 segment in front of the pixels holds; empty: there is none.
std::string_view exifOfJpeg(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::BigEndian);
    std::uint64_t place = 2;
    for (;;) {
        const auto marker = bytes.number(place, 2);
        if (marker == 0xFFFFU) {  // fills up
            ++place;
            continue;
        }
        const auto size = bytes.number(place + 2, 2);
        if (!marker || !size || *marker < 0xFFC0U || *marker == 0xFFDAU || *size < 2)
            return {};
        const std::string_view content = file.substr(place + 4, *size - 2);
        if (*marker == 0xFFE1U && content.starts_with("Exif"))
            return content;
        place += 2 + std::uint64_t {*size};
    }
}

std::string_view exifOfPng(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::BigEndian);
    for (std::uint64_t place = 8;;) {
        const auto size = bytes.number(place, 4);
        if (!size || place + 8 > file.size())
            return {};
        const std::string_view type = file.substr(place + 4, 4);
        if (type == "eXIf")
            return file.substr(place + 8, *size);
        if (type == "IDAT")
            return {};
        place += 12 + std::uint64_t {*size};
    }
}

std::string_view exifOfWebp(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::LittleEndian);
    for (std::uint64_t place = 12;;) {
        const auto size = bytes.number(place + 4, 4);
        if (!size)
            return {};
        if (file.substr(place, 4) == "EXIF")
            return file.substr(place + 8, *size);
        place += 8 + std::uint64_t {*size} + (*size & 1U);
    }
}

/// Where the pixel at (x, y) of what stands upright lies in the stored one of @p width × @p height.
std::pair<int, int> storedPlace(int orientation, int x, int y, int width, int height)
{
    switch (orientation) {
    case 2:
        return {width - 1 - x, y};
    case 3:
        return {width - 1 - x, height - 1 - y};
    case 4:
        return {x, height - 1 - y};
    case 5:
        return {y, x};
    case 6:
        return {y, height - 1 - x};
    case 7:
        return {width - 1 - y, height - 1 - x};
    case 8:
        return {width - 1 - y, x};
    default:
        return {x, y};
    }
}

}  // namespace

int exifOrientation(std::string_view file)
{
    if (isJpeg(file))
        return orientationOf(exifOfJpeg(file));
    if (isPng(file))
        return orientationOf(exifOfPng(file));
    if (isWebp(file))
        return orientationOf(exifOfWebp(file));
    return 1;
}

bool isTurnedSideways(int orientation) { return orientation >= 5; }

Picture upright(Picture picture, int orientation)
{
    if (orientation == 1)
        return picture;
    Picture turned {picture.width, picture.height, {}};
    if (isTurnedSideways(orientation))
        std::swap(turned.width, turned.height);
    turned.rgb.reserve(picture.rgb.size());
    for (int y = 0; y < turned.height; ++y) {
        for (int x = 0; x < turned.width; ++x) {
            const auto [column, row] = storedPlace(orientation, x, y, picture.width, picture.height);
            const auto pixel = picture.rgb.begin() + (static_cast<std::ptrdiff_t>(row) * picture.width + column) * 3;
            turned.rgb.insert(turned.rgb.end(), pixel, pixel + 3);
        }
    }
    return turned;
}

}  // namespace engine

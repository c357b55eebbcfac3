#include "engine/data/exif_orientation.h"

#include "engine/data/image_formats.h"

#include <optional>
#include <utility>

namespace engine {
namespace {

/// Reads numbers of either byte order from a file; nullopt beyond its end.
class Bytes {
public:
    enum class Order { BigEndian, LittleEndian };

    Bytes(std::string_view bytes, Order order)
        : m_bytes(bytes)
        , m_order(order)
    {
    }

    std::optional<std::uint32_t> number(std::uint64_t offset, int size) const
    {
        if (offset + static_cast<std::uint64_t>(size) > m_bytes.size())
            return std::nullopt;
        std::uint32_t value = 0;
        for (int index = 0; index < size; ++index) {
            const int digit = m_order == Order::BigEndian ? index : size - 1 - index;
            value = value << 8 | static_cast<unsigned char>(m_bytes[offset + static_cast<std::uint64_t>(digit)]);
        }
        return value;
    }

private:
    std::string_view m_bytes;
    Order m_order;
};

/// @param tiff EXIF data: TIFF header and directory
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
        const std::uint64_t offset = *directory + 2 + entry * 12;
        if (bytes.number(offset, 2) != 0x0112U)
            continue;
        const std::uint32_t value = bytes.number(offset + 8, 2).value_or(1);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

/// Returns the content of the EXIF APP1 segment before the pixels; empty when there is none.
std::string_view exifOfJpeg(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::BigEndian);
    std::uint64_t offset = 2;
    for (;;) {
        const auto marker = bytes.number(offset, 2);
        if (marker == 0xFFFFU) {  // padding
            ++offset;
            continue;
        }
        const auto size = bytes.number(offset + 2, 2);
        if (!marker || !size || *marker < 0xFFC0U || *marker == 0xFFDAU || *size < 2)
            return {};
        const std::string_view content = file.substr(offset + 4, *size - 2);
        if (*marker == 0xFFE1U && content.starts_with("Exif"))
            return content;
        offset += 2 + std::uint64_t {*size};
    }
}

std::string_view exifOfPng(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::BigEndian);
    for (std::uint64_t offset = 8;;) {
        const auto size = bytes.number(offset, 4);
        if (!size || offset + 8 > file.size())
            return {};
        const std::string_view type = file.substr(offset + 4, 4);
        if (type == "eXIf")
            return file.substr(offset + 8, *size);
        if (type == "IDAT")
            return {};
        offset += 12 + std::uint64_t {*size};
    }
}

std::string_view exifOfWebp(std::string_view file)
{
    const Bytes bytes(file, Bytes::Order::LittleEndian);
    for (std::uint64_t offset = 12;;) {
        const auto size = bytes.number(offset + 4, 4);
        if (!size)
            return {};
        if (file.substr(offset, 4) == "EXIF")
            return file.substr(offset + 8, *size);
        offset += 8 + std::uint64_t {*size} + (*size & 1U);
    }
}

/// Returns the column and row, in the stored image of @p width × @p height, of pixel (x, y) of the upright image.
std::pair<int, int> storedPosition(int orientation, int x, int y, int width, int height)
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

bool swapsSides(int orientation) { return orientation >= 5; }

Image upright(Image image, int orientation)
{
    if (orientation == 1)
        return image;
    Image result {image.width, image.height, {}};
    if (swapsSides(orientation))
        std::swap(result.width, result.height);
    result.rgb.reserve(image.rgb.size());
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x) {
            const auto [column, row] = storedPosition(orientation, x, y, image.width, image.height);
            const auto pixel = image.rgb.begin() + (static_cast<std::ptrdiff_t>(row) * image.width + column) * 3;
            result.rgb.insert(result.rgb.end(), pixel, pixel + 3);
        }
    }
    return result;
}

}  // namespace engine

#include "engine/data/png.h"

#include "engine/contract/run_folder.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace engine {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);

void appendBigEndian(std::string& out, std::uint32_t value)
{
    for (const int shift : {24, 16, 8, 0})
        out += static_cast<char>(value >> shift & 0xFFU);
}

/// Length, type, content, and the checksum of type and content.
void appendChunk(std::string& png, std::string_view type, const std::string& content)
{
    appendBigEndian(png, static_cast<std::uint32_t>(content.size()));
    const std::size_t checked = png.size();
    png.append(type).append(content);
    const auto* bytes = reinterpret_cast<const Bytef*>(png.data() + checked);
    appendBigEndian(png, static_cast<std::uint32_t>(crc32_z(0, bytes, png.size() - checked)));
}

std::string header(int width, int height)
{
    std::string content;
    appendBigEndian(content, static_cast<std::uint32_t>(width));
    appendBigEndian(content, static_cast<std::uint32_t>(height));
    // 8 bits, greyscale, the only compression and filter method, not interlaced
    return content.append(std::string_view("\x08\0\0\0\0", 5));
}

std::string compressedRows(int width, const std::vector<std::uint8_t>& pixels)
{
    const auto rowSize = static_cast<std::size_t>(width);
    std::string rows;
    rows.reserve(pixels.size() + pixels.size() / rowSize);
    for (std::size_t start = 0; start < pixels.size(); start += rowSize) {
        rows += '\0';  // no filter: flat squares compress well as they are
        rows.append(reinterpret_cast<const char*>(pixels.data() + start), rowSize);
    }
    uLongf size = compressBound(rows.size());
    std::string content(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(content.data()), &size,
            reinterpret_cast<const Bytef*>(rows.data()), rows.size())
        != Z_OK)
        throw std::bad_alloc();  // the only failure that a buffer of compressBound() leaves
    content.resize(size);
    return content;
}

bool isPrintableAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void appendText(std::string& png, const std::string& keyword, const std::string& text)
{
    if (keyword.empty() || keyword.size() > 79 || !isPrintableAscii(keyword))
        throw std::invalid_argument("writeGreyPng: keyword \"" + keyword + "\"");
    if (text.find('\0') != std::string::npos)
        throw std::invalid_argument("writeGreyPng: NUL in the text of " + keyword);
    const std::string start = keyword + '\0';
    if (isPrintableAscii(text))
        appendChunk(png, "tEXt", start + text);
    else  // tEXt is Latin-1; iTXt has UTF-8 after: not compressed, no language, no translated keyword
        appendChunk(png, "iTXt", start + std::string(4, '\0') + text);
}

/// NaN becomes black.
std::uint8_t grey(float value)
{
    if (!(value > -1.0F))
        return 0;
    return static_cast<std::uint8_t>(std::lround((std::min(value, 1.0F) + 1.0F) * 127.5F));
}

}  // namespace

void writeGreyPng(const std::filesystem::path& file, int width, int height,
    const std::vector<std::uint8_t>& pixels, const PngTexts& texts)
{
    if (width < 1 || height < 1
        || pixels.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
        throw std::invalid_argument("writeGreyPng: " + std::to_string(pixels.size()) + " pixels for "
            + std::to_string(width) + " × " + std::to_string(height));
    std::string png(kSignature);
    appendChunk(png, "IHDR", header(width, height));
    for (const auto& [keyword, text] : texts)
        appendText(png, keyword, text);
    appendChunk(png, "IDAT", compressedRows(width, pixels));
    appendChunk(png, "IEND", {});
    contract::writeFileAtomically(file, png);
}

std::vector<std::uint8_t> imageGrid(
    const at::Tensor& images, int columns, int scale, int gap, int& width, int& height)
{
    if (images.dim() != 4 || images.size(0) < 1 || images.size(1) != 1 || columns < 1 || scale < 1
        || gap < 0)
        throw std::invalid_argument("imageGrid: needs [N, 1, H, W], columns and scale from 1, gap from 0");
    const at::Tensor source = images.detach().to(at::kCPU, at::kFloat).contiguous();
    const auto values = source.accessor<float, 4>();
    const auto count = static_cast<int>(source.size(0));
    const int pitchX = static_cast<int>(source.size(3)) * scale + gap;
    const int pitchY = static_cast<int>(source.size(2)) * scale + gap;
    width = columns * pitchX + gap;
    height = (count + columns - 1) / columns * pitchY + gap;

    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = gap; y < height; ++y) {
        for (int x = gap; x < width; ++x) {
            const int number = (y - gap) / pitchY * columns + (x - gap) / pitchX;
            const int row = (y - gap) % pitchY / scale;
            const int column = (x - gap) % pitchX / scale;
            if (number < count && row < source.size(2) && column < source.size(3))
                pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width)
                    + static_cast<std::size_t>(x)]
                    = grey(values[number][0][row][column]);
        }
    }
    return pixels;
}

}  // namespace engine

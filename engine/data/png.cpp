#include "engine/data/png.h"

#include "engine/contract/formats/output_file.h"

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

/// Appends a chunk: length, type, content, and the checksum of type and content.
void appendChunk(std::string& png, std::string_view type, const std::string& content)
{
    appendBigEndian(png, static_cast<std::uint32_t>(content.size()));
    const std::size_t checked = png.size();
    png.append(type).append(content);
    const auto* bytes = reinterpret_cast<const Bytef*>(png.data() + checked);
    appendBigEndian(png, static_cast<std::uint32_t>(crc32_z(0, bytes, png.size() - checked)));
}

std::string header(const Pixels& pixels)
{
    std::string content;
    appendBigEndian(content, static_cast<std::uint32_t>(pixels.width));
    appendBigEndian(content, static_cast<std::uint32_t>(pixels.height));
    content += '\x08';                                // bits
    content += pixels.channels == 1 ? '\0' : '\x02';  // greyscale or true colour
    return content.append(3, '\0');                   // the only compression and filter method, not interlaced
}

/// Appends a row with its filter byte. Enlarged grey pixels compress well unfiltered; colours compress better as differences to
/// the pixel on the left.
void appendRow(std::string& rows, const std::uint8_t* row, std::size_t size, int channels)
{
    const auto step = static_cast<std::size_t>(channels);
    rows += channels == 1 ? '\0' : '\x01';
    for (std::size_t i = 0; i < size; ++i)
        rows += static_cast<char>(channels == 1 || i < step ? row[i] : row[i] - row[i - step]);
}

std::string compressedRows(const Pixels& pixels)
{
    const std::size_t rowSize = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.channels);
    std::string rows;
    rows.reserve(pixels.values.size() + static_cast<std::size_t>(pixels.height));
    for (std::size_t start = 0; start < pixels.values.size(); start += rowSize)
        appendRow(rows, pixels.values.data() + start, rowSize, pixels.channels);
    uLongf size = compressBound(rows.size());
    std::string content(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(content.data()), &size,
            reinterpret_cast<const Bytef*>(rows.data()), rows.size())
        != Z_OK)
        throw std::bad_alloc();  // the only possible error with a buffer of compressBound() bytes
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
        throw std::invalid_argument("encodedPng: the keyword \"" + keyword + "\" is not 1 to 79 printable ASCII characters");
    if (text.find('\0') != std::string::npos)
        throw std::invalid_argument("encodedPng: NUL in the text of " + keyword);
    const std::string start = keyword + '\0';
    if (isPrintableAscii(text))
        appendChunk(png, "tEXt", start + text);
    else  // tEXt is Latin-1; iTXt is UTF-8, after four zero bytes: not compressed, no language, no translated keyword
        appendChunk(png, "iTXt", start + std::string(4, '\0') + text);
}

/// Maps [-1, 1] to 0 … 255; NaN becomes 0.
std::uint8_t level(float value)
{
    if (!(value > -1.0F))
        return 0;
    return static_cast<std::uint8_t>(std::lround((std::min(value, 1.0F) + 1.0F) * 127.5F));
}

}  // namespace

std::string encodedPng(const Pixels& pixels, const PngTexts& texts)
{
    const bool hasSize = pixels.width > 0 && pixels.height > 0 && (pixels.channels == 1 || pixels.channels == 3);
    if (!hasSize || pixels.values.size() / static_cast<std::size_t>(pixels.channels)
            != static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height)
        || pixels.values.size() % static_cast<std::size_t>(pixels.channels) != 0)
        throw std::invalid_argument("encodedPng: " + std::to_string(pixels.values.size()) + " values for "
            + std::to_string(pixels.width) + " × " + std::to_string(pixels.height) + " of " + std::to_string(pixels.channels));
    std::string png(kSignature);
    appendChunk(png, "IHDR", header(pixels));
    for (const auto& [keyword, text] : texts)
        appendText(png, keyword, text);
    appendChunk(png, "IDAT", compressedRows(pixels));
    appendChunk(png, "IEND", {});
    return png;
}

void writePng(const std::filesystem::path& file, const Pixels& pixels, const PngTexts& texts)
{
    contract::writeFileAtomically(file, encodedPng(pixels, texts));
}

Pixels imageGrid(const at::Tensor& images, int columns, int scale, int gap)
{
    if (images.dim() != 4 || images.size(0) < 1 || (images.size(1) != 1 && images.size(1) != 3) || columns < 1 || scale < 1
        || gap < 0)
        throw std::invalid_argument("imageGrid: needs [N, 1 or 3, H, W], columns and scale from 1, gap from 0");
    const at::Tensor source = images.detach().to(at::kCPU, at::kFloat).contiguous();
    const auto values = source.accessor<float, 4>();
    const auto count = static_cast<int>(source.size(0));
    const int pitchX = static_cast<int>(source.size(3)) * scale + gap;
    const int pitchY = static_cast<int>(source.size(2)) * scale + gap;
    Pixels grid {columns * pitchX + gap, (count + columns - 1) / columns * pitchY + gap, static_cast<int>(source.size(1)), {}};
    const auto channels = static_cast<std::size_t>(grid.channels);
    grid.values.resize(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height) * channels);
    for (int y = gap; y < grid.height; ++y) {
        for (int x = gap; x < grid.width; ++x) {
            const int number = (y - gap) / pitchY * columns + (x - gap) / pitchX;
            const int row = (y - gap) % pitchY / scale;
            const int column = (x - gap) % pitchX / scale;
            if (number >= count || row >= source.size(2) || column >= source.size(3))
                continue;
            const std::size_t offset
                = (static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width) + static_cast<std::size_t>(x)) * channels;
            for (std::size_t channel = 0; channel < channels; ++channel)
                grid.values[offset + channel] = level(values[number][static_cast<std::int64_t>(channel)][row][column]);
        }
    }
    return grid;
}

}  // namespace engine

#include "engine/data/image.h"

#include "engine/contract/formats/file_content.h"
#include "engine/data/exif_orientation.h"
#include "engine/data/image_formats.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHeaderBytes = 65536;  // enough for the size and orientation in nearly every image

struct Format {
    bool (*matches)(std::string_view file);
    ImageSize (*size)(std::string_view file);
    Image (*decode)(std::string_view file, ImagePart part);
};

const Format& formatOf(std::string_view file)
{
    static const std::array<Format, 3> formats {{{isPng, pngSize, decodePng}, {isJpeg, jpegSize, decodeJpeg}, {isWebp, webpSize, decodeWebp}}};
    for (const Format& format : formats) {
        if (format.matches(file))
            return format;
    }
    throw std::runtime_error(file.empty() ? "is empty" : "is not a PNG, JPEG or WebP file");
}

ImageSize uprightSize(std::string_view file)
{
    ImageSize size = formatOf(file).size(file);
    if (swapsSides(exifOrientation(file)))
        std::swap(size.width, size.height);
    return size;
}

/// Runs @p read and puts the file's name in front of its error messages.
template <typename Read>
auto naming(const fs::path& file, Read read)
{
    try {
        return read();
    } catch (const std::runtime_error& error) {
        const std::string sentence = error.what();
        throw std::runtime_error(sentence.starts_with(file.string()) ? sentence : file.string() + ": " + sentence);
    }
}

}  // namespace

ImageSize checkedSize(std::int64_t width, std::int64_t height)
{
    if (width < 1 || height < 1 || width > 65535 || height > 65535 || width * height > kMaxImagePixels)
        throw std::runtime_error("has " + std::to_string(width) + " × " + std::to_string(height) + " pixels; at most "
            + std::to_string(kMaxImagePixels) + " pixels are supported");
    return {static_cast<int>(width), static_cast<int>(height)};
}

void selectPart(std::vector<std::uint8_t>& samples, ImagePart part)
{
    std::size_t blended = 0;
    for (std::size_t pixel = 0; pixel < samples.size(); pixel += 4) {
        const int alpha = samples[pixel + 3];
        for (std::size_t sample = 0; sample < 3; ++sample)
            samples[blended++] = static_cast<std::uint8_t>(part == ImagePart::Alpha ? alpha : (samples[pixel + sample] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    samples.resize(blended);
}

void selectPartOfOpaque(std::vector<std::uint8_t>& samples, ImagePart part)
{
    if (part == ImagePart::Alpha)
        std::ranges::fill(samples, std::uint8_t {255});
}

Image readImage(const fs::path& file, ImagePart part)
{
    return naming(file, [&] {
        const std::string bytes = contract::fileContent(file, kMaxImageBytes);
        return upright(formatOf(bytes).decode(bytes, part), exifOrientation(bytes));
    });
}

ImageSize readImageSize(const fs::path& file)
{
    return naming(file, [&] {
        const std::string beginning = contract::fileBeginning(file, kHeaderBytes);
        if (!isWebp(beginning)) {  // a WebP file has its EXIF data at the end
            try {
                return uprightSize(beginning);
            } catch (const std::runtime_error&) {
                if (beginning.size() < kHeaderBytes)
                    throw;
            }
        }
        return uprightSize(contract::fileContent(file, kMaxImageBytes));
    });
}

}  // namespace engine

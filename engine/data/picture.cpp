#include "engine/data/picture.h"

#include "engine/contract/file_content.h"
#include "engine/data/exif_orientation.h"
#include "engine/data/picture_formats.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHeaderBytes = 65536;  // hold nearly every picture's size and orientation

struct Format {
    bool (*isIt)(std::string_view file);
    PictureSize (*size)(std::string_view file);
    Picture (*decode)(std::string_view file, PicturePart part);
};

const Format& formatOf(std::string_view file)
{
    static const std::array<Format, 3> formats {{{isPng, pngSize, decodePng}, {isJpeg, jpegSize, decodeJpeg}, {isWebp, webpSize, decodeWebp}}};
    for (const Format& format : formats) {
        if (format.isIt(file))
            return format;
    }
    throw std::runtime_error(file.empty() ? "is empty" : "is no PNG, JPEG or WebP");
}

PictureSize uprightSize(std::string_view file)
{
    PictureSize size = formatOf(file).size(file);
    if (isTurnedSideways(exifOrientation(file)))
        std::swap(size.width, size.height);
    return size;
}

/// Runs @p read; its sentence gets the file's name in front.
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

PictureSize checkedSize(std::int64_t width, std::int64_t height)
{
    if (width < 1 || height < 1 || width > 65535 || height > 65535 || width * height > kMostPicturePixels)
        throw std::runtime_error("has " + std::to_string(width) + " × " + std::to_string(height) + " pixels; at most "
            + std::to_string(kMostPicturePixels) + " are read");
    return {static_cast<int>(width), static_cast<int>(height)};
}

void keepPart(std::vector<std::uint8_t>& samples, PicturePart part)
{
    std::size_t blended = 0;
    for (std::size_t pixel = 0; pixel < samples.size(); pixel += 4) {
        const int alpha = samples[pixel + 3];
        for (std::size_t sample = 0; sample < 3; ++sample)
            samples[blended++] = static_cast<std::uint8_t>(part == PicturePart::Alpha ? alpha : (samples[pixel + sample] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    samples.resize(blended);
}

void keepPartOfOpaque(std::vector<std::uint8_t>& samples, PicturePart part)
{
    if (part == PicturePart::Alpha)
        std::ranges::fill(samples, std::uint8_t {255});
}

Picture readPicture(const fs::path& file, PicturePart part)
{
    return naming(file, [&] {
        const std::string bytes = contract::fileContent(file, kMostPictureBytes);
        return upright(formatOf(bytes).decode(bytes, part), exifOrientation(bytes));
    });
}

PictureSize readPictureSize(const fs::path& file)
{
    return naming(file, [&] {
        const std::string beginning = contract::fileBeginning(file, kHeaderBytes);
        if (!isWebp(beginning)) {  // which has its EXIF at the end
            try {
                return uprightSize(beginning);
            } catch (const std::runtime_error&) {
                if (beginning.size() < kHeaderBytes)
                    throw;
            }
        }
        return uprightSize(contract::fileContent(file, kMostPictureBytes));
    });
}

bool hasPictureName(const fs::path& file)
{
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".webp";
}

}  // namespace engine

#include "engine/data/picture_formats.h"

#include <turbojpeg.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

struct DestroyTurbo {
    void operator()(void* handle) const { tjDestroy(handle); }
};
using Turbo = std::unique_ptr<void, DestroyTurbo>;

struct JpegHeader {
    PictureSize size;
    int colorSpace = 0;
};

/// @param result of the last call. A file that only breaks minor rules passes; one that ends early does not.
void checkJpeg(const Turbo& turbo, int result)
{
    const std::string fault = tjGetErrorStr2(turbo.get());
    const bool isMinor = tjGetErrorCode(turbo.get()) == TJERR_WARNING && fault.find("Premature end") == std::string::npos;
    if (result != 0 && !isMinor)
        throw std::runtime_error("is a damaged JPEG (" + fault + ")");
}

Turbo newTurbo()
{
    Turbo turbo(tjInitDecompress());
    if (!turbo)
        throw std::bad_alloc();
    return turbo;
}

const unsigned char* jpegBytes(std::string_view file) { return reinterpret_cast<const unsigned char*>(file.data()); }

JpegHeader readHeader(const Turbo& turbo, std::string_view file)
{
    int width = 0;
    int height = 0;
    int subsampling = 0;
    JpegHeader header;
    checkJpeg(turbo,
        tjDecompressHeader3(turbo.get(), jpegBytes(file), file.size(), &width, &height, &subsampling, &header.colorSpace));
    if (width < 1 || height < 1)  // the library takes tables without a picture for a file as well
        throw std::runtime_error("is a damaged JPEG (it ends before its picture)");
    header.size = checkedSize(width, height);
    return header;
}

/// Inverted ink, four bytes a pixel, as light.
std::vector<std::uint8_t> lightOf(const std::vector<std::uint8_t>& cmyk)
{
    std::vector<std::uint8_t> rgb;
    rgb.reserve(cmyk.size() / 4 * 3);
    for (std::size_t pixel = 0; pixel < cmyk.size(); pixel += 4) {
        for (std::size_t ink = 0; ink < 3; ++ink)
            rgb.push_back(static_cast<std::uint8_t>((cmyk[pixel + ink] * cmyk[pixel + 3] + 127) / 255));
    }
    return rgb;
}

}  // namespace

bool isJpeg(std::string_view file) { return file.starts_with("\xFF\xD8\xFF"); }

PictureSize jpegSize(std::string_view file) { return readHeader(newTurbo(), file).size; }

Picture decodeJpeg(std::string_view file, PicturePart part)
{
    const Turbo turbo = newTurbo();
    const JpegHeader header = readHeader(turbo, file);
    const bool isInk = header.colorSpace == TJCS_CMYK || header.colorSpace == TJCS_YCCK;
    const auto pixels = static_cast<std::size_t>(header.size.width) * static_cast<std::size_t>(header.size.height);
    Picture picture {header.size.width, header.size.height, std::vector<std::uint8_t>(pixels * (isInk ? 4 : 3))};
    // Hundreds of scans would take hours and are no picture's.
    checkJpeg(turbo,
        tjDecompress2(turbo.get(), jpegBytes(file), file.size(), picture.rgb.data(), picture.width, 0, picture.height,
            isInk ? TJPF_CMYK : TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS));
    if (isInk)
        picture.rgb = lightOf(picture.rgb);
    keepPartOfOpaque(picture.rgb, part);
    return picture;
}

}  // namespace engine

#include "engine/data/image_formats.h"

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
    ImageSize size;
    int colorSpace = 0;
};

/// Throws if @p result, of the last call, is an error. Minor warnings are ignored, but a premature end is an error.
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
    if (width < 1 || height < 1)  // the library also accepts a file of tables without an image
        throw std::runtime_error("is a damaged JPEG (it ends before its image)");
    header.size = checkedSize(width, height);
    return header;
}

/// Converts inverted CMYK to RGB, without a colour profile.
std::vector<std::uint8_t> rgbFromInvertedCmyk(const std::vector<std::uint8_t>& cmyk)
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

ImageSize jpegSize(std::string_view file) { return readHeader(newTurbo(), file).size; }

Image decodeJpeg(std::string_view file, ImagePart part)
{
    const Turbo turbo = newTurbo();
    const JpegHeader header = readHeader(turbo, file);
    const bool isCmyk = header.colorSpace == TJCS_CMYK || header.colorSpace == TJCS_YCCK;
    const auto pixels = static_cast<std::size_t>(header.size.width) * static_cast<std::size_t>(header.size.height);
    Image image {header.size.width, header.size.height, std::vector<std::uint8_t>(pixels * (isCmyk ? 4 : 3))};
    // LIMITSCANS rejects files with hundreds of scans: no real image has them, and decoding would take hours.
    checkJpeg(turbo,
        tjDecompress2(turbo.get(), jpegBytes(file), file.size(), image.rgb.data(), image.width, 0, image.height,
            isCmyk ? TJPF_CMYK : TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS));
    if (isCmyk)
        image.rgb = rgbFromInvertedCmyk(image.rgb);
    selectPartOfOpaque(image.rgb, part);
    return image;
}

}  // namespace engine

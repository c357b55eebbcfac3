#include "engine/data/image_formats.h"

#include <png.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

struct FreePng {
    void operator()(png_image* source) const { png_image_free(source); }
};

/// Reads the header into @p source. @return an owner that frees the decoder's memory
std::unique_ptr<png_image, FreePng> beginPng(std::string_view file, png_image& source)
{
    source = {};
    source.version = PNG_IMAGE_VERSION;
    std::unique_ptr<png_image, FreePng> owner(&source);
    if (!png_image_begin_read_from_memory(&source, file.data(), file.size()))
        throw std::runtime_error("is a damaged PNG (" + std::string(source.message) + ")");
    return owner;
}

}  // namespace

bool isPng(std::string_view file) { return file.starts_with(std::string_view("\x89PNG\r\n\x1a\n", 8)); }

ImageSize pngSize(std::string_view file)
{
    png_image source;
    const auto owner = beginPng(file, source);
    return checkedSize(source.width, source.height);
}

Image decodePng(std::string_view file, ImagePart part)
{
    png_image source;
    const auto owner = beginPng(file, source);
    const ImageSize size = checkedSize(source.width, source.height);
    const bool hasAlpha = (source.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    source.format = hasAlpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    source.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    Image image {size.width, size.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(source))};
    if (!png_image_finish_read(&source, nullptr, image.rgb.data(), 0, nullptr))
        throw std::runtime_error("is a damaged PNG (" + std::string(source.message) + ")");
    hasAlpha ? selectPart(image.rgb, part) : selectPartOfOpaque(image.rgb, part);
    return image;
}

}  // namespace engine

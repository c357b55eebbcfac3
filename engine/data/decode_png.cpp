#include "engine/data/picture_formats.h"

#include <png.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

struct FreePng {
    void operator()(png_image* image) const { png_image_free(image); }
};

/// Reads the header. @return what must be freed
std::unique_ptr<png_image, FreePng> beginPng(std::string_view file, png_image& image)
{
    image = {};
    image.version = PNG_IMAGE_VERSION;
    std::unique_ptr<png_image, FreePng> owner(&image);
    if (!png_image_begin_read_from_memory(&image, file.data(), file.size()))
        throw std::runtime_error("is a damaged PNG (" + std::string(image.message) + ")");
    return owner;
}

}  // namespace

bool isPng(std::string_view file) { return file.starts_with(std::string_view("\x89PNG\r\n\x1a\n", 8)); }

PictureSize pngSize(std::string_view file)
{
    png_image image;
    const auto owner = beginPng(file, image);
    return checkedSize(image.width, image.height);
}

Picture decodePng(std::string_view file, PicturePart part)
{
    png_image image;
    const auto owner = beginPng(file, image);
    const PictureSize size = checkedSize(image.width, image.height);
    const bool hasAlpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    image.format = hasAlpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    Picture picture {size.width, size.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    if (!png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr))
        throw std::runtime_error("is a damaged PNG (" + std::string(image.message) + ")");
    hasAlpha ? keepPart(picture.rgb, part) : keepPartOfOpaque(picture.rgb, part);
    return picture;
}

}  // namespace engine

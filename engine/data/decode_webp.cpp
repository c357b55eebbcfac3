#include "engine/data/image_formats.h"

#include <webp/decode.h>

#include <stdexcept>

namespace engine {
namespace {

const std::uint8_t* webpBytes(std::string_view file) { return reinterpret_cast<const std::uint8_t*>(file.data()); }

WebPBitstreamFeatures webpFeatures(std::string_view file)
{
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(webpBytes(file), file.size(), &features) != VP8_STATUS_OK)
        throw std::runtime_error("is a damaged WebP");
    if (features.has_animation)
        throw std::runtime_error("is an animation; only still images are supported");
    return features;
}

}  // namespace

bool isWebp(std::string_view file)
{
    return file.size() >= 12 && file.starts_with("RIFF") && file.substr(8, 4) == "WEBP";
}

ImageSize webpSize(std::string_view file)
{
    const WebPBitstreamFeatures features = webpFeatures(file);
    return checkedSize(features.width, features.height);
}

Image decodeWebp(std::string_view file, ImagePart part)
{
    const WebPBitstreamFeatures features = webpFeatures(file);
    const ImageSize size = checkedSize(features.width, features.height);
    const int samples = features.has_alpha ? 4 : 3;
    const auto decode = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
    const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    Image image {size.width, size.height, std::vector<std::uint8_t>(pixels * static_cast<std::size_t>(samples))};
    if (!decode(webpBytes(file), file.size(), image.rgb.data(), image.rgb.size(), size.width * samples))
        throw std::runtime_error("is a damaged WebP");
    features.has_alpha ? selectPart(image.rgb, part) : selectPartOfOpaque(image.rgb, part);
    return image;
}

}  // namespace engine

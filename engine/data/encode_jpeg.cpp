#include "engine/data/encode_jpeg.h"

#include <turbojpeg.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace engine {

std::string encodeJpeg(const Image& image, int quality)
{
    const auto destroy = [](void* handle) { tjDestroy(handle); };
    const std::unique_ptr<void, decltype(destroy)> turbo(tjInitCompress(), destroy);
    if (!turbo)
        throw std::bad_alloc();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    const int result = tjCompress2(turbo.get(), image.rgb.data(), image.width, 0, image.height, TJPF_RGB, &bytes, &size, TJSAMP_420, quality,
        TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, decltype(&tjFree)> owned(bytes, tjFree);
    if (result != 0)
        throw std::runtime_error("an image of " + std::to_string(image.width) + " × " + std::to_string(image.height)
            + " pixels cannot be written as JPEG (" + tjGetErrorStr2(turbo.get()) + ")");
    return {reinterpret_cast<const char*>(owned.get()), size};
}

}  // namespace engine

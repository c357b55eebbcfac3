#include "engine/data/exif_orientation.h"
#include "engine/data/image.h"
#include "engine/data/image_folder.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

#include <zlib.h>

namespace fuzz {
namespace {

constexpr std::size_t kSignatureBytes = 8;

std::uint32_t bigEndian(const std::string& bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

class PictureTarget final : public Target {
    bool canRepair() const override { return true; }

    /// A PNG's checksums, chunk by chunk: libpng reads no further than to the first wrong one.
    std::string repaired(const std::string&, std::string content) const override
    {
        if (!content.starts_with("\x89PNG"))
            return content;
        constexpr std::size_t kLengthAndType = 8;
        for (std::size_t at = kSignatureBytes; at + kLengthAndType + 4 <= content.size();) {
            const std::size_t length = bigEndian(content, at);
            const std::size_t end = at + kLengthAndType + length;
            if (end + 4 > content.size())
                break;
            const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()) + at + 4, length + 4);
            for (std::size_t i = 0; i < 4; ++i)
                content[end + i] = static_cast<char>(checksum >> (24 - 8 * i));
            at = end + 4;
        }
        return content;
    }

    void read(const std::filesystem::path& folder, const Input& input) override
    {
        const std::filesystem::path file = folder / input.origin->files.begin()->first;
        engine::Image image;
        const bool isRead = accepts([&] { image = engine::readImage(file); });
        require(isRead || !input.damaged.empty(), "an undamaged picture is refused");
        engine::ImageSize size;
        const bool hasSize = accepts([&] { size = engine::readImageSize(file); });
        if (!isRead)
            return;
        require(hasSize && size.width == image.width && size.height == image.height, "the header has another size than the picture");
        const auto samples = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3;
        require(image.rgb.size() == samples, "a picture of another size than it says");
        image = {};  // the next one needs the memory
        require(accepts([&] { image = engine::readImage(file, engine::ImagePart::Alpha); }) && image.rgb.size() == samples,
            "a picture without an alpha part");
    }

    // The largest picture that is allowed has 134 million pixels: 400 MB, and a third more with transparency.
    std::uint64_t mostBytes() const override { return std::uint64_t {1800} << 20; }
};

class DatasetTarget final : public Target {
    void read(const std::filesystem::path& folder, const Input& input) override
    {
        engine::ImageFolder found;
        const bool isRead = accepts([&] { found = engine::scanImageFolder(folder, true); });
        require(!input.damaged.empty() || (isRead && found.images.size() == 3 && found.broken.empty() && found.withoutCaption == 0),
            "an undamaged data set is refused");
        for (const engine::BrokenImage& broken : found.broken)
            checkMessage(broken.reason);
    }
};

}  // namespace

std::unique_ptr<Target> datasetTarget() { return std::make_unique<DatasetTarget>(); }
std::unique_ptr<Target> pictureTarget() { return std::make_unique<PictureTarget>(); }

}  // namespace fuzz

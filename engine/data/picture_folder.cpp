#include "engine/data/picture_folder.h"

#include "engine/data/caption_files.h"

#include <set>
#include <stdexcept>
#include <string_view>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMaskEnding = "-masklabel.png";

bool isMask(const fs::path& file) { return file.filename().string().ends_with(kMaskEnding); }

PictureEntry entryOf(const fs::path& picture, const Captions& captions)
{
    PictureEntry entry {picture, captions.of(picture), {}, readPictureSize(picture)};
    const fs::path mask = picture.parent_path() / (picture.stem().string() + std::string(kMaskEnding));
    if (fs::exists(mask)) {
        const PictureSize size = readPictureSize(mask);
        if (size.width != entry.size.width || size.height != entry.size.height)
            throw std::runtime_error(mask.string() + ": is not as large as its picture");
        entry.mask = mask;
    }
    return entry;
}

}  // namespace

PictureFolder scanPictureFolder(const fs::path& folder)
{
    PictureFolder result;
    if (!fs::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is no folder");
    const Captions captions(folder, result.broken);
    std::set<fs::path> found;
    for (const fs::path& file : filesIn(folder)) {
        if (!hasPictureName(file) || isMask(file))
            continue;
        try {
            result.pictures.push_back(entryOf(file, captions));
            result.withoutCaption += result.pictures.back().caption.empty() ? 1 : 0;
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, error.what()});
        }
        found.insert(file.lexically_normal());
    }
    captions.listMissing(found, result.broken);
    if (result.pictures.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no pictures (PNG, JPEG or WebP)");
    if (result.pictures.empty())
        throw std::runtime_error(folder.string() + ": has no picture that can be read. " + result.broken.front().reason);
    return result;
}

}  // namespace engine

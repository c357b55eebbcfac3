#include "engine/data/picture_folder.h"

#include "engine/data/caption_files.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMaskEnding = "-masklabel.png";

bool isMask(const fs::path& file) { return file.filename().string().ends_with(kMaskEnding); }

/// What a folder's name says: "10_a dog".
struct FolderName {
    std::int64_t repeats = 1;
    std::string caption;
};

FolderName folderNameOf(const fs::path& folder)
{
    constexpr std::int64_t kMostRepeats = 10000;
    const std::string name = folder.filename().string();
    FolderName result;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), result.repeats);
    if (error != std::errc() || result.repeats < 1 || result.repeats > kMostRepeats || *end != '_' || end[1] == '\0')
        return {};
    result.caption = end + 1;
    return result;
}

bool isPrecomputed(const fs::path& file) { return file.extension() == ".safetensors"; }

PictureEntry entryOf(const fs::path& picture, const Captions& captions)
{
    PictureEntry entry {.file = picture, .caption = captions.of(picture), .mask = {}, .size = {}};
    if (isPrecomputed(picture))
        return entry;
    entry.size = readPictureSize(picture);
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

PictureFolder scanPictureFolder(const fs::path& folder, bool hasRepeats)
{
    PictureFolder result;
    if (!fs::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is no folder");
    const Captions captions(folder, result.broken);
    std::set<fs::path> found;
    const std::vector<fs::path> files = filesIn(folder);
    const auto hasTensors = [&](fs::path file) { return std::ranges::binary_search(files, file.replace_extension(".safetensors")); };
    for (const fs::path& file : files) {
        if ((!hasPictureName(file) && !isPrecomputed(file)) || isMask(file))
            continue;
        found.insert(file.lexically_normal());
        if (!isPrecomputed(file) && hasTensors(file))
            continue;
        try {
            PictureEntry entry = entryOf(file, captions);
            if (hasRepeats) {
                const FolderName name = folderNameOf(file.parent_path());
                entry.repeats = name.repeats;
                if (entry.caption.empty())
                    entry.caption = name.caption;
            }
            result.withoutCaption += entry.caption.empty() ? 1 : 0;
            (isPrecomputed(file) ? result.precomputed : result.pictures).push_back(std::move(entry));
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, error.what()});
        }
    }
    captions.listMissing(found, result.broken);
    if (!result.precomputed.empty())
        return result;
    if (result.pictures.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no pictures (PNG, JPEG or WebP)");
    if (result.pictures.empty())
        throw std::runtime_error(folder.string() + ": has no picture that can be read. " + result.broken.front().reason);
    return result;
}

}  // namespace engine

#include "engine/data/image_folder.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
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

/// Repeats and caption from a folder name such as "10_a dog".
struct FolderName {
    std::int64_t repeats = 1;
    std::string caption;
};

FolderName folderNameOf(const fs::path& folder)
{
    constexpr std::int64_t kMaxRepeats = 10000;
    const std::string name = folder.filename().string();
    FolderName result;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), result.repeats);
    if (error != std::errc() || result.repeats < 1 || result.repeats > kMaxRepeats || *end != '_' || end[1] == '\0')
        return {};
    result.caption = end + 1;
    return result;
}

bool isPrecomputed(const fs::path& file) { return file.extension() == ".safetensors"; }

ImageEntry entryOf(const fs::path& image, const Captions& captions)
{
    ImageEntry entry {.file = image, .caption = captions.of(image), .mask = {}, .size = {}};
    if (isPrecomputed(image))
        return entry;
    entry.size = readImageSize(image);
    const fs::path mask = image.parent_path() / (image.stem().string() + std::string(kMaskEnding));
    if (contract::hasEntry(mask)) {
        const ImageSize size = readImageSize(mask);
        if (size.width != entry.size.width || size.height != entry.size.height)
            throw std::runtime_error(mask.string() + ": differs in size from its image");
        entry.mask = mask;
    }
    return entry;
}

}  // namespace

ImageFolder scanImageFolder(const fs::path& folder, bool hasRepeats)
{
    ImageFolder result;
    if (!fs::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is not a folder");
    const Captions captions(folder, result.broken);
    std::set<fs::path> found;
    const std::vector<fs::path> files = filesIn(folder);
    const auto isReplaced = [&](fs::path file) { return std::ranges::binary_search(files, file.replace_extension(".safetensors")); };
    for (const fs::path& file : files) {
        if (contract::hasUnreadImageName(file)) {
            found.insert(file.lexically_normal());
            result.broken.push_back({file, file.string() + ": is of a format that is not read; save it as PNG, JPEG or WebP"});
        }
        if ((!contract::hasImageName(file) && !isPrecomputed(file)) || isMask(file))
            continue;
        found.insert(file.lexically_normal());
        if (!isPrecomputed(file) && isReplaced(file))
            continue;
        try {
            ImageEntry entry = entryOf(file, captions);
            if (hasRepeats) {
                const FolderName name = folderNameOf(file.parent_path());
                entry.repeats = name.repeats;
                if (entry.caption.empty())
                    entry.caption = name.caption;
            }
            result.withoutCaption += entry.caption.empty() ? 1 : 0;
            (isPrecomputed(file) ? result.precomputed : result.images).push_back(std::move(entry));
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, contract::sentenceOf(error)});
        }
    }
    captions.listMissing(found, result.broken);
    if (!result.precomputed.empty())
        return result;
    if (result.images.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no images (PNG, JPEG or WebP)");
    if (result.images.empty())
        throw std::runtime_error(folder.string() + ": has no image that can be read. " + result.broken.front().reason);
    return result;
}

}  // namespace engine

#include "engine/tasks/image_pairs.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <map>

namespace engine {
namespace {

namespace fs = std::filesystem;

/// Images by their path below @p folder, without the extension.
std::map<fs::path, const PreparedImage*> imagesBelow(const fs::path& folder, const std::vector<PreparedImage>& images)
{
    std::map<fs::path, const PreparedImage*> found;
    for (const PreparedImage& image : images) {
        const fs::path name = image.file.lexically_normal().lexically_relative(folder.lexically_normal());
        if (!name.empty() && *name.begin() != "..")
            found.emplace(fs::path(name).replace_extension(), &image);
    }
    return found;
}

}  // namespace

ImagePairs imagePairs(const std::vector<PreparedImage>& images, const fs::path& folder)
{
    const auto chosen = imagesBelow(folder / "chosen", images), rejected = imagesBelow(folder / "rejected", images);
    ImagePairs result;
    const auto leaveOut = [&](const PreparedImage& image) { result.unmatched.push_back(image.file.lexically_relative(folder).string()); };
    for (const auto& [name, image] : chosen) {
        if (const auto partner = rejected.find(name); partner != rejected.end())
            result.pairs.push_back({*image, *partner->second});
        else
            leaveOut(*image);
    }
    for (const auto& [name, image] : rejected) {
        if (!chosen.contains(name))
            leaveOut(*image);
    }
    if (result.pairs.empty())
        throw EngineError(EngineError::Kind::WrongUsage,
            "data.folder = " + contract::inQuotes(folder.string())
                + ": dpo.source = \"offline\" needs the folders chosen and rejected in it, with images of the same names; there is no such pair");
    return result;
}

}  // namespace engine

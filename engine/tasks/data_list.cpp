#include "engine/tasks/data_list.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/data_manifest.h"
#include "engine/contract/run/run_folder.h"
#include "engine/data/png.h"

#include <ATen/ops/cat.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <filesystem>
#include <system_error>

namespace engine {
namespace {

using Use = contract::DataEntry::Use;

/// The path within @p folder, or all of it when the file is elsewhere.
std::string nameIn(const std::filesystem::path& folder, const std::filesystem::path& file)
{
    const std::filesystem::path relative = file.lexically_normal().lexically_relative((folder / "").lexically_normal());
    return relative.empty() || *relative.begin() == ".." ? std::filesystem::absolute(file).string() : relative.string();
}

/// The first frame of a folder of frames; empty for a file.
std::filesystem::path posterOf(const std::filesystem::path& file)
{
    std::error_code error;
    if (!std::filesystem::is_directory(file, error))
        return {};
    const auto entries = contract::entriesOf(file, error);
    const auto frame = std::ranges::find_if(entries, contract::hasImageName);
    return frame == entries.end() ? std::filesystem::path() : *frame;
}

contract::DataManifest emptyList(const std::filesystem::path& run, const std::string& folder, std::int64_t resolution)
{
    const std::vector<int> attempts = contract::RunFolder(run).attempts();
    return {.attempt = attempts.empty() ? 1 : attempts.back(), .folder = folder, .resolution = resolution, .entries = {}};
}

}  // namespace

contract::DataManifest listImages(const PreparedImages& images, const ImagePairs& pairs, const std::filesystem::path& run)
{
    std::set<std::filesystem::path> paired;
    for (const auto& [chosen, rejected] : pairs.pairs)
        paired.insert({chosen.file, rejected.file});
    const std::filesystem::path& folder = images.options().folder;
    contract::DataManifest list
        = emptyList(run, std::filesystem::absolute(folder).string(), images.options().resolution);
    const auto name = [&](const std::filesystem::path& file) { return file.empty() ? std::string() : nameIn(folder, file); };
    const auto leaveOut = [&](const std::filesystem::path& file, const std::string& reason) {
        list.entries.push_back({.file = name(file), .caption = {}, .use = Use::LeftOut, .reason = reason, .mask = {}, .poster = {}});
    };
    const auto add = [&](const PreparedImage& image, Use use) {
        if (!paired.empty() && !paired.contains(image.file))
            return leaveOut(image.file, image.file.string() + ": has no partner of the same name");
        const bool isPrecomputed = image.key.empty();
        list.entries.push_back({.file = name(image.file),
            .caption = image.caption,
            .use = use,
            .reason = {},
            .width = image.original.width,
            .height = image.original.height,
            .bucketWidth = image.size.width,
            .bucketHeight = image.size.height,
            .frames = image.frames,
            .repeats = image.repeats,
            .mask = name(image.mask),
            .poster = name(posterOf(image.file)),
            .isAlphaMask = image.isAlphaMask,
            .isPrecomputed = isPrecomputed});
    };
    for (const PreparedImage& image : images.training())
        add(image, image.isPrior ? Use::Prior : Use::Training);
    for (const PreparedImage& image : images.validation())
        add(image, Use::Validation);
    for (const BrokenImage& broken : images.broken())
        leaveOut(broken.file, broken.reason);
    std::ranges::stable_sort(list.entries, {}, &contract::DataEntry::file);
    contract::writeDataManifest(run / contract::kDataManifestFile, list);
    return list;
}

void listDigits(const DataSplit& data, const std::filesystem::path& run)
{
    constexpr char kSheet[] = "data.png";
    const std::int64_t held = data.validation.labels.size(0), all = held + data.training.labels.size(0);
    const std::int64_t width = data.training.images.size(3), height = data.training.images.size(2);
    const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(all))));
    writePng(run / kSheet, imageGrid(at::cat({data.training.images, data.validation.images}), static_cast<int>(columns), 1, 0));
    contract::DataManifest list = emptyList(run, ".", width);
    const at::Tensor labels = at::cat({data.training.labels, data.validation.labels});
    for (std::int64_t i = 0; i < all; ++i)
        list.entries.push_back({.file = kSheet,
            .caption = "digit " + std::to_string(labels[i].item<std::int64_t>()),
            .use = i < all - held ? Use::Training : Use::Validation,
            .reason = {},
            .width = width,
            .height = height,
            .bucketWidth = width,
            .bucketHeight = height,
            .mask = {},
            .poster = {},
            .tile = {i % columns * width, i / columns * height, width, height}});
    contract::writeDataManifest(run / contract::kDataManifestFile, list);
}

}  // namespace engine

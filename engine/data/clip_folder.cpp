#include "engine/data/clip_folder.h"

#include "engine/contract/checksum.h"
#include "engine/contract/text.h"
#include "engine/data/caption_files.h"
#include "engine/data/picture_tensor.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

/// A folder's pictures in the order of their names, @p most at most.
std::vector<std::filesystem::path> framesIn(const std::filesystem::path& folder, std::int64_t most)
{
    std::vector<std::filesystem::path> frames;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (hasPictureName(entry.path()))
            frames.push_back(entry.path());
    }
    std::ranges::sort(frames);
    frames.resize(std::min(frames.size(), static_cast<std::size_t>(most)));
    return frames;
}

ClipForm formOf(const std::filesystem::path& file, const ClipRules& rules)
{
    if (std::filesystem::is_directory(file)) {
        const auto frames = framesIn(file, rules.most);
        return {readPictureSize(frames.at(0)), static_cast<std::int64_t>(frames.size())};
    }
    return hasPictureName(file) ? ClipForm {readPictureSize(file), 1} : clipFiles().form(file, rules.frameRate, rules.most);
}

PictureEntry clipEntry(const std::filesystem::path& file, const Captions& captions, const ClipRules& rules)
{
    PictureEntry entry {file, captions.of(file), {}, {}};
    const ClipForm form = formOf(file, rules);
    entry.size = form.size;
    entry.frames = 1 + (std::min(form.frames, rules.most) - 1) / rules.beat * rules.beat;
    return entry;
}

}  // namespace

PictureFolder scanClipFolder(const std::filesystem::path& folder, const ClipRules& rules)
{
    PictureFolder result;
    if (!std::filesystem::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is no folder");
    const Captions captions(folder, result.broken);
    std::set<std::filesystem::path> clips, found;
    const auto isAtTop = [top = (folder / "").lexically_normal()](const auto& file) { return (file.parent_path() / "").lexically_normal() == top; };
    for (const auto& file : filesIn(folder)) {
        if (hasPictureName(file))
            clips.insert(isAtTop(file) ? file : file.parent_path());
        else if (hasClipName(file) && !std::filesystem::is_directory(file))
            clips.insert(file);
    }
    for (const auto& file : clips) {
        try {
            result.pictures.push_back(clipEntry(file, captions, rules));
            result.withoutCaption += result.pictures.back().caption.empty() ? 1 : 0;
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, error.what()});
        }
        found.insert(file.lexically_normal());
    }
    captions.listMissing(found, result.broken);
    if (result.pictures.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no clips (video files or folders of frames) and no pictures");
    if (result.pictures.empty())
        throw std::runtime_error(folder.string() + ": has no clip that can be read. " + result.broken.front().reason);
    return result;
}

std::string clipContent(const PictureEntry& entry, const ClipRules& rules)
{
    if (!std::filesystem::is_directory(entry.file)) {
        const std::string rate = hasPictureName(entry.file) ? std::string() : " at " + contract::shortestText(rules.frameRate);
        return contract::checksumOf(entry.file) + rate;
    }
    std::string content;
    for (const auto& frame : framesIn(entry.file, entry.frames))
        content += contract::checksumOf(frame) + " ";
    return content;
}

at::Tensor clipTensor(const std::filesystem::path& file, std::int64_t frames, PictureSize bucket, const ClipRules& rules)
{
    const at::Tensor clip = at::empty({3, frames, bucket.height, bucket.width}, at::kFloat);
    std::int64_t number = 0;
    const auto take = [&](const Picture& frame) { clip.select(1, number++).copy_(pictureTensor(frame, bucket)); };
    if (std::filesystem::is_directory(file)) {
        for (const auto& frame : framesIn(file, frames))
            take(readPicture(frame));
    } else if (hasPictureName(file)) {
        take(readPicture(file));
    } else {
        clipFiles().read(file, rules.frameRate, frames, take);
    }
    if (number != frames)
        throw std::runtime_error(file.string() + ": has only " + std::to_string(number) + " of " + std::to_string(frames) + " frames");
    return clip;
}

}  // namespace engine

#include "engine/data/video_folder.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/input_file.h"
#include "engine/contract/formats/text.h"
#include "engine/data/caption_files.h"
#include "engine/data/image_tensor.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace engine {
namespace {

/// Returns at most @p maxFrames images of a folder, at least one, sorted by name. @throws std::runtime_error naming the folder.
std::vector<std::filesystem::path> framesIn(const std::filesystem::path& folder, std::int64_t maxFrames)
{
    std::vector<std::filesystem::path> frames;
    std::error_code error;
    std::ranges::copy_if(contract::entriesOf(folder, error), std::back_inserter(frames), contract::hasImageName);
    if (error)
        throw std::runtime_error(folder.string() + ": cannot be read (" + error.message() + ")");
    if (frames.empty())
        throw std::runtime_error(folder.string() + ": has no images any more");
    frames.resize(std::min(frames.size(), static_cast<std::size_t>(maxFrames)));
    return frames;
}

VideoInfo infoOf(const std::filesystem::path& file, const VideoRules& rules)
{
    if (std::filesystem::is_directory(file)) {
        const auto frames = framesIn(file, rules.maxFrames);
        return {readImageSize(frames.front()), static_cast<std::int64_t>(frames.size())};
    }
    if (contract::hasImageName(file))
        return {readImageSize(file), 1};
    const contract::InputFile regular(file);  // FFmpeg would wait for a process at the other end of a pipe
    return videoFiles().probe(file, rules.frameRate, rules.maxFrames);
}

ImageEntry videoEntry(const std::filesystem::path& file, const Captions& captions, const VideoRules& rules)
{
    ImageEntry entry {file, captions.of(file), {}, {}};
    const VideoInfo info = infoOf(file, rules);
    entry.size = info.size;
    entry.frames = 1 + (std::min(info.frames, rules.maxFrames) - 1) / rules.frameStep * rules.frameStep;
    return entry;
}

}  // namespace

ImageFolder scanVideoFolder(const std::filesystem::path& folder, const VideoRules& rules)
{
    ImageFolder result;
    if (!std::filesystem::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is not a folder");
    const Captions captions(folder, result.broken);
    std::set<std::filesystem::path> videos, found;
    const auto isAtTop = [top = (folder / "").lexically_normal()](const auto& file) { return (file.parent_path() / "").lexically_normal() == top; };
    for (const auto& file : filesIn(folder)) {
        if (contract::hasImageName(file))
            videos.insert(isAtTop(file) ? file : file.parent_path());
        else if (hasVideoName(file) && !std::filesystem::is_directory(file))
            videos.insert(file);
    }
    for (const auto& file : videos) {
        try {
            result.images.push_back(videoEntry(file, captions, rules));
            result.withoutCaption += result.images.back().caption.empty() ? 1 : 0;
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, contract::sentenceOf(error)});
        }
        found.insert(file.lexically_normal());
    }
    captions.listMissing(found, result.broken);
    if (result.images.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no videos (video files or folders of frames) and no images");
    if (result.images.empty())
        throw std::runtime_error(folder.string() + ": has no video that can be read. " + result.broken.front().reason);
    return result;
}

std::string videoContent(const ImageEntry& entry, const VideoRules& rules)
{
    if (!std::filesystem::is_directory(entry.file)) {
        const std::string rate = contract::hasImageName(entry.file) ? std::string() : " at " + contract::shortestText(rules.frameRate);
        return contract::checksumOf(entry.file) + rate;
    }
    std::string content;
    for (const auto& frame : framesIn(entry.file, entry.frames))
        content += contract::checksumOf(frame) + " ";
    return content;
}

at::Tensor videoTensor(const std::filesystem::path& file, std::int64_t frames, ImageSize bucket, const VideoRules& rules)
{
    const at::Tensor video = at::empty({3, frames, bucket.height, bucket.width}, at::kFloat);
    std::int64_t number = 0;
    const auto take = [&](const Image& frame) { video.select(1, number++).copy_(imageTensor(frame, bucket)); };
    if (std::filesystem::is_directory(file)) {
        for (const auto& frame : framesIn(file, frames))
            take(readImage(frame));
    } else if (contract::hasImageName(file)) {
        take(readImage(file));
    } else {
        videoFiles().read(file, rules.frameRate, frames, take);
    }
    if (number != frames)
        throw std::runtime_error(file.string() + ": has only " + std::to_string(number) + " of " + std::to_string(frames) + " frames");
    return video;
}

}  // namespace engine

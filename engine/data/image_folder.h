// Scans a folder of captioned images in the layout that trainers commonly use.
#pragma once
#include "engine/data/caption_files.h"
#include "engine/data/image.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// One image, video or precomputed sample of a folder.
struct ImageEntry {
    std::filesystem::path file;  ///< image, video, folder of frames, or NAME.safetensors
    std::string caption;         ///< empty when there is none
    std::filesystem::path mask;  ///< NAME-masklabel.png: white is trained on, black is not; empty: no mask
    ImageSize size;              ///< of the upright image; not set for precomputed samples
    std::int64_t frames = 1;     ///< frames of a video, see video_folder.h
    std::int64_t repeats = 1;    ///< how often it occurs in an epoch
};

struct ImageFolder {
    std::vector<ImageEntry> images;       ///< sorted by path, equal on every machine
    std::vector<ImageEntry> precomputed;  ///< NAME.safetensors files, sorted; an image of the same name is then ignored
    std::vector<BrokenImage> broken;
    std::int64_t withoutCaption = 0;
};

/// Scans a folder and its subfolders; reads captions and the headers of images.
///
/// The caption of NAME.png is the text of NAME.txt in the same folder, else that of metadata.jsonl in @p folder, whose lines
/// are {"file_name": "sub/NAME.png", "text": "…"} ("caption" is also accepted); it is trimmed. Images with a broken header, too
/// long captions and malformed lines are listed as broken, and so are images of formats that are not read.
/// @param hasRepeats whether images in a folder called N_NAME occur N times per epoch, N from 1 to 10000, and get the caption
///        NAME if they have none
/// @throws std::runtime_error naming the folder when it cannot be read, or has no images or only broken ones.
ImageFolder scanImageFolder(const std::filesystem::path& folder, bool hasRepeats = false);

}  // namespace engine

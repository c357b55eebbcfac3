// A folder of captioned pictures, as trainers commonly lay it out.
#pragma once
#include "engine/data/caption_files.h"
#include "engine/data/picture.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

struct PictureEntry {
    std::filesystem::path file;  ///< or folder of frames
    std::string caption;         ///< empty: it has none
    std::filesystem::path mask;  ///< NAME-masklabel.png beside NAME.*: white is learnt, black is not; empty: all is learnt
    PictureSize size;            ///< upright; none of tensors
    std::int64_t frames = 1;     ///< of a clip, see clip_folder.h
    std::int64_t repeats = 1;    ///< how often an epoch has it
};

struct PictureFolder {
    std::vector<PictureEntry> pictures;     ///< in the order of their paths, the same on every machine
    std::vector<PictureEntry> precomputed;  ///< NAME.safetensors, likewise; a picture of that name is then none of the data
    std::vector<BrokenPicture> broken;
    std::int64_t withoutCaption = 0;
};

/// Looks through a folder and those in it, reads captions and the headers of pictures.
///
/// A caption is the text of NAME.txt beside NAME.png, or else of metadata.jsonl in the folder, whose lines are
/// {"file_name": "sub/NAME.png", "text": "…"} ("caption" is understood too); white space around it is removed. Pictures
/// with a broken header, captions that are too long or lines that are no such object are listed, not fatal.
/// @param hasRepeats whether what lies in a folder called N_NAME is seen N times an epoch, N from 1 to 10000, and NAME is the
///        caption of what has none there
/// @throws std::runtime_error naming the folder when it cannot be read, holds no picture or only broken ones.
PictureFolder scanPictureFolder(const std::filesystem::path& folder, bool hasRepeats = false);

}  // namespace engine

// A folder of captioned clips: video files, folders of frames, and pictures as clips of one frame.
#pragma once
#include "engine/data/clip_file.h"
#include "engine/data/picture_folder.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

/// How many frames are taken of clips, and which.
struct ClipRules {
    double frameRate = 16;   ///< per second, of video files; 0: their own
    std::int64_t most = 81;  ///< frames of a clip; of longer ones the beginning is taken
    std::int64_t beat = 4;   ///< a clip has 1 + k times so many, as many as it can have
};

/// Looks through a folder and those in it. A clip is a file that hasClipName(), a folder that itself holds pictures (its frames
/// in the order of their names, taken as they are), or a picture at the top. Captions as for pictures, a folder's
/// lying in NAME.txt beside it. Sizes are those of the first frame. What is broken is listed, not fatal.
/// @throws std::runtime_error naming the folder when it cannot be read, holds no clip or only broken ones.
PictureFolder scanClipFolder(const std::filesystem::path& folder, const ClipRules& rules);

/// What the frames taken of an entry depend on: checksums of its files, and the frame rate where that counts.
std::string clipContent(const PictureEntry& entry, const ClipRules& rules);

/// The first @p frames of an entry's file or folder at the size of their bucket, as pictureTensor() makes them.
/// @return [3, F, H, W] float32 in [-1, 1], on the CPU. @throws std::runtime_error naming the file that is broken.
at::Tensor clipTensor(const std::filesystem::path& file, std::int64_t frames, PictureSize bucket, const ClipRules& rules);

}  // namespace engine

// Scans a folder of captioned videos: video files, folders of frames, and images as videos of one frame.
#pragma once
#include "engine/data/video_file.h"
#include "engine/data/image_folder.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

/// Selects the frames that are used of each video.
struct VideoRules {
    double frameRate = 16;         ///< frames per second for video files; 0: each file's own
    std::int64_t maxFrames = 81;   ///< of longer videos only the beginning is used
    std::int64_t frameStep = 4;    ///< each video uses 1 + k · frameStep frames, for the largest possible k
};

/// Scans a folder and its subfolders. A video is a file that hasVideoName(), a subfolder that directly contains images (all of
/// them are its frames, in the order of their names), or an image directly in @p folder. Captions are as for images; that of
/// a subfolder NAME is in NAME.txt next to it. Sizes are those of the first frame. Broken videos are listed.
/// @throws std::runtime_error naming the folder when it cannot be read, or has no videos or only broken ones.
ImageFolder scanVideoFolder(const std::filesystem::path& folder, const VideoRules& rules);

/// Returns a text that identifies the frames of an entry, for cache keys: checksums of its files, and for video files the
/// frame rate.
std::string videoContent(const ImageEntry& entry, const VideoRules& rules);

/// Reads the first @p frames frames of an entry's file or folder, each cropped and scaled by imageTensor().
/// @return [3, F, H, W] float32 in [-1, 1], on the CPU. @throws std::runtime_error naming the file that is broken.
at::Tensor videoTensor(const std::filesystem::path& file, std::int64_t frames, ImageSize bucket, const VideoRules& rules);

}  // namespace engine

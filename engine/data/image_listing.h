// What a data folder holds, as bytes that one rank can send to the others.
#pragma once
#include "engine/data/image_folder.h"

#include <string>
#include <vector>

namespace engine {

/// The content of precomputed samples that is known without reading their tensors.
struct PrecomputedEntry {
    ImageEntry entry;        ///< its size is that of the image
    bool hasPrompt = false;  ///< whether the file also holds the prompt's features
};

struct ImageListing {
    std::vector<ImageEntry> images;
    std::vector<PrecomputedEntry> precomputed;
    std::vector<BrokenImage> broken;
};

std::string toBytes(const ImageListing& listing);
ImageListing imageListingFrom(const std::string& bytes);  ///< @param bytes those of toBytes()

}  // namespace engine

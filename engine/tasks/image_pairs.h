// Pairs of preferred and rejected images in a data folder, for training on preferences without samples (row A-076, offline).
#pragma once
#include "engine/tasks/prepared_images.h"

#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// Two images of one size for the caption of the chosen one.
struct ImagePair {
    PreparedImage chosen, rejected;
};

struct ImagePairs {
    std::vector<ImagePair> pairs;        ///< sorted by name
    std::vector<std::string> unmatched;  ///< images without a partner, relative to the folder
};

/// Matches the images below @p folder/chosen with those of the same name, apart from the extension, below @p folder/rejected.
/// @throws EngineError WrongUsage when there is no pair.
ImagePairs imagePairs(const std::vector<PreparedImage>& images, const std::filesystem::path& folder);

}  // namespace engine

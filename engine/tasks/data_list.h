// Lists the images or videos of a run for those who look at it; see [Note: the list of the data] in engine/contract/run/data_manifest.h.
#pragma once
#include "engine/contract/run/data_manifest.h"
#include "engine/data/digits.h"
#include "engine/tasks/image_pairs.h"
#include "engine/tasks/prepared_images.h"

#include <filesystem>

namespace engine {

/// Writes the list of @p images, sorted by file, into the folder @p run, and returns it.
/// @param pairs that are trained on; with none the images are trained on one by one
/// @throws std::system_error naming the file.
contract::DataManifest listImages(const PreparedImages& images, const ImagePairs& pairs, const std::filesystem::path& run);

/// Writes the list of the digits into the folder @p run, and an image of which each digit is a tile.
/// @throws std::system_error naming the file.
void listDigits(const DataSplit& data, const std::filesystem::path& run);

}  // namespace engine

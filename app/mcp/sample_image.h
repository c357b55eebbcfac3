// A sample image of a run, as the protocol carries images.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <string>

namespace app {

struct EncodedImage {
    std::string mimeType;
    std::string base64;
};

/// @param file relative to the run's folder, as `atelier samples` lists it
/// @throws std::runtime_error in one sentence when it is no image among the run's samples, or too large
EncodedImage readSampleImage(const contract::RunFolder& run, const std::string& file);

}  // namespace app

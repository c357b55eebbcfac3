#include "engine/contract/run/image_request.h"

#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"

#include <nlohmann/json.hpp>

namespace contract {

void writeImageRequest(const std::filesystem::path& file, const ImageRequest& request)
{
    const nlohmann::json document = {{"model", request.model}, {"transformer", request.transformer}, {"second_transformer", request.secondTransformer}, {"adapter", request.adapter}, {"second_adapter", request.secondAdapter}, {"adapter_weight", request.adapterWeight}, {"prompts", request.prompts}, {"negative", request.negative},
        {"steps", request.steps}, {"guidance", request.guidance}, {"width", request.width}, {"height", request.height}, {"frames", request.frames},
        {"seed", request.seed}, {"dtype", request.dtype}, {"attention", request.attention}, {"device", request.device}, {"folder", request.folder}, {"first_number", request.firstNumber}};
    // Text from the command line may not be valid UTF-8.
    writeFileAtomically(file, jsonText(document, 1));
}

ImageRequest readImageRequest(const std::filesystem::path& file)
{
    const JsonConfig config(file);
    ImageRequest request;
    request.model = config.text("model");
    request.transformer = config.text("transformer", "");
    request.secondTransformer = config.text("second_transformer", "");
    request.adapter = config.text("adapter", "");
    request.secondAdapter = config.text("second_adapter", "");
    request.adapterWeight = config.real("adapter_weight", 1);
    request.prompts = config.texts("prompts");
    if (request.prompts.empty())
        config.fail("prompts", "must contain at least one prompt");
    request.negative = config.text("negative", "");
    request.steps = config.integer("steps", 0);
    request.guidance = config.real("guidance", -1);
    request.width = config.integer("width", 0);
    request.height = config.integer("height", 0);
    request.frames = config.integer("frames", 0);
    request.seed = config.integer("seed", request.seed);
    request.dtype = config.text("dtype", request.dtype);
    request.attention = config.text("attention", request.attention);
    request.device = config.text("device", request.device);
    request.folder = config.text("folder");
    request.firstNumber = config.integer("first_number", 1);
    return request;
}

}  // namespace contract

#include "tests/engine/goldens/golden_folders.h"

#include "tests/paths.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace fs = std::filesystem;

namespace tests {
namespace {

using Classes = std::vector<std::string>;

const Classes kTransformers = {"DiTTransformer2DModel", "FluxTransformer2DModel", "QwenImageTransformer2DModel",
    "SD3Transformer2DModel", "WanTransformer3DModel"};

struct Known {
    const char* key;  ///< that case.json has
    CaseKind kind;
    Classes classes;
};

/// Cases with the key "model" alone are those of its class.
const std::vector<Known> kKnown = {
    {"adapter", CaseKind::Adapter, kTransformers},
    {"steps", CaseKind::Training, {"SD3Transformer2DModel"}},
    {"pipeline", CaseKind::Pipeline, {"QwenImagePipeline", "StableDiffusion3Pipeline"}},
    {"tokenizer", CaseKind::Tokenizer, {"CLIPTokenizer", "Qwen2Tokenizer", "T5Tokenizer"}},
    {"model", CaseKind::Transformer, kTransformers},
    {"model", CaseKind::Autoencoder, {"AutoencoderKL", "AutoencoderKLQwenImage", "AutoencoderKLWan"}},
    {"model", CaseKind::Clip, {"CLIPModel"}},
    {"model", CaseKind::TextEncoder,
        {"CLIPTextModel", "CLIPTextModelWithProjection", "T5EncoderModel", "UMT5EncoderModel",
            "Qwen2_5_VLForConditionalGeneration"}},
};

}  // namespace

fs::path goldensFolder(const std::string& half)
{
    const char* elsewhere = std::getenv("ATELIER_GOLDENS");
    return (elsewhere ? fs::path(elsewhere) : fs::path(ATELIER_SOURCE_DIR "/tests/goldens")) / half;
}

std::optional<CaseKind> caseKind(const nlohmann::json& json)
{
    const auto first = std::ranges::find_if(kKnown, [&](const Known& known) { return json.contains(known.key); });
    if (first == kKnown.end())
        return std::nullopt;
    for (const Known& known : kKnown) {
        if (known.key == std::string_view(first->key) && std::ranges::count(known.classes, json.value("class", "")) > 0)
            return known.kind;
    }
    return std::nullopt;
}

std::vector<fs::path> modelFolders()
{
    std::vector<fs::path> folders;
    if (!fs::exists(goldensFolder("models")))
        return folders;
    for (const auto& entry : fs::directory_iterator(goldensFolder("models"))) {
        if (entry.is_directory())
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    return folders;
}

std::vector<fs::path> modelCases(CaseKind kind)
{
    std::vector<fs::path> cases;
    for (const fs::path& folder : modelFolders()) {
        if (fs::exists(folder / "case.json") && caseKind(caseJson(folder)) == kind)
            cases.push_back(folder);
    }
    return cases;
}

nlohmann::json caseJson(const fs::path& folder) { return nlohmann::json::parse(std::ifstream(folder / "case.json")); }

}  // namespace tests

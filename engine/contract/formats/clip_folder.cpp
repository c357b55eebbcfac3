#include "engine/contract/formats/clip_folder.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/contract/formats/safetensors_set.h"

#include <stdexcept>
#include <string>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr char kClass[] = "CLIPModel";

[[noreturn]] void refuseClip(const fs::path& folder, const std::string& what)
{
    throw std::runtime_error(folder.string() + ": " + what);
}

JsonConfig imagesOf(const fs::path& root)
{
    if (const fs::path file = root / "preprocessor_config.json"; hasEntry(file))
        return JsonConfig(file);
    if (const fs::path file = root / "processor_config.json"; hasEntry(file))
        return JsonConfig(file).object("image_processor");
    refuseClip(root, "has no preprocessor_config.json, which says how images are prepared; copy it from the model that this one was "
                     "trained from");
}

void requireTokenizer(const fs::path& root)
{
    const bool hasVocabulary = hasEntry(root / "tokenizer.json") || (hasEntry(root / "vocab.json") && hasEntry(root / "merges.txt"));
    if (!hasVocabulary || !hasEntry(root / "tokenizer_config.json"))
        refuseClip(root, "has no tokenizer, which is tokenizer_config.json with tokenizer.json or with vocab.json and merges.txt; copy it from "
                         "the model that this one was trained from");
}

}  // namespace

ClipFolder openClipFolder(const fs::path& path)
{
    const ModelFolder folder(path);
    if (folder.className() != kClass)
        refuseClip(folder.root(), "is a " + quotedName(folder.className()) + ", but must be a " + kClass
                + ", which has a tower for images and one for texts");
    const fs::path& root = folder.root();
    ClipFolder found {root, findWeights(root), JsonConfig(root / "config.json"), imagesOf(root)};
    requireTokenizer(root);
    return found;
}

}  // namespace contract

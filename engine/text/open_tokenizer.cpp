#include "engine/contract/formats/safetensors_header.h"
#include "engine/text/byte_level_tokenizer.h"
#include "engine/text/t5_tokenizer.h"
#include "engine/text/tokenizer.h"

#include <stdexcept>
#include <utility>

namespace engine {

std::unique_ptr<Tokenizer> openTokenizer(const std::filesystem::path& folder)
{
    TokenizerConfig config = readTokenizerConfig(folder);
    if (config.className == "CLIPTokenizer")
        return openClipTokenizer(folder, std::move(config));
    if (config.className == "Qwen2Tokenizer")
        return openQwen2Tokenizer(folder, std::move(config));
    if (config.className == "T5Tokenizer")
        return openT5Tokenizer(folder, std::move(config));
    throw std::runtime_error((folder / "tokenizer_config.json").string() + ": tokenizer_class is " + contract::quotedName(config.className)
        + "; supported are CLIPTokenizer, Qwen2Tokenizer and T5Tokenizer");
}

}  // namespace engine

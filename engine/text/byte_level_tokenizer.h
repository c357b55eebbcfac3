// CLIP's and Qwen2's tokenizers: words, then byte pairs.
#pragma once
#include "engine/text/tokenizer.h"

#include <filesystem>
#include <memory>

namespace engine {

/// Text stands between <|startoftext|> and <|endoftext|>. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openClipTokenizer(const std::filesystem::path& folder, TokenizerConfig config);

/// Nothing stands around a text. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openQwen2Tokenizer(const std::filesystem::path& folder, TokenizerConfig config);

}  // namespace engine

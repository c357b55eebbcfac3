// The tokenizers of CLIP and Qwen2: text is split into words, then byte pairs are merged.
#pragma once
#include "engine/text/tokenizer.h"

#include <filesystem>
#include <memory>

namespace engine {

/// Opens a tokenizer that puts <|startoftext|> before and <|endoftext|> after a text. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openClipTokenizer(const std::filesystem::path& folder, TokenizerConfig config);

/// Opens a tokenizer that adds no tokens around a text. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openQwen2Tokenizer(const std::filesystem::path& folder, TokenizerConfig config);

}  // namespace engine

// The tokenizer of T5 and UMT5, with a unigram model.
#pragma once
#include "engine/text/tokenizer.h"

#include <filesystem>
#include <memory>

namespace engine {

/// Opens a tokenizer that puts </s> after every text. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openT5Tokenizer(const std::filesystem::path& folder, TokenizerConfig config);

}  // namespace engine

// T5's and UMT5's tokenizer: a unigram model.
#pragma once
#include "engine/text/tokenizer.h"

#include <filesystem>
#include <memory>

namespace engine {

/// </s> follows every text. @throws as openTokenizer().
std::unique_ptr<Tokenizer> openT5Tokenizer(const std::filesystem::path& folder, TokenizerConfig config);

}  // namespace engine

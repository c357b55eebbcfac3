#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

#include <algorithm>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

constexpr char kPromptFile[] = "prompt.txt";  // in each case; damaged like the tokenizer's own files

void encode(const engine::Tokenizer& tokenizer, const std::string& prompt)
{
    constexpr std::int64_t kMostTokens = 77;
    const std::vector<std::int64_t> ids = tokenizer.encoded(prompt, kMostTokens);
    require(static_cast<std::int64_t>(ids.size()) <= kMostTokens, "more tokens than were asked for");
    require(std::ranges::all_of(ids, [](std::int64_t id) { return id >= 0; }), "a negative token");
    require(contract::isUtf8(tokenizer.decoded(ids)), "decoded text is not UTF-8");
    const std::vector<std::string> rows = {prompt, "", "a red cube"};
    const engine::TokenBatch batch = tokenizer.encodedBatch(rows, kMostTokens, engine::Padding::ToLongestRow);
    require(static_cast<std::int64_t>(batch.ids.size()) == batch.rows * batch.length && batch.ids.size() == batch.mask.size(),
        "a batch of another size than it says");
}

class TokenizerTarget final : public Target {
    void read(const fs::path& folder, const Input& input) override
    {
        std::unique_ptr<engine::Tokenizer> tokenizer;
        const bool isOpen = accepts([&] { tokenizer = engine::openTokenizer(folder); });
        require(isOpen || !input.damaged.empty(), "an undamaged tokenizer is refused");
        if (!isOpen)
            return;
        const bool isEncoded = accepts([&] {
            constexpr std::uint64_t kMostPromptBytes = std::uint64_t {1} << 22;
            const std::string prompt = contract::fileContent(folder / kPromptFile, kMostPromptBytes);
            encode(*tokenizer, prompt);
            if (prompt.size() <= engine::Tokenizer::kMaxTextBytes)
                engine::cleanedPrompt(prompt);
        });
        require(isEncoded || !input.damaged.empty(), "an undamaged prompt is refused");
    }
};

}  // namespace

std::unique_ptr<Target> tokenizerTarget() { return std::make_unique<TokenizerTarget>(); }

}  // namespace fuzz

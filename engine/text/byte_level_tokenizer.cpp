#include "engine/text/byte_level_tokenizer.h"

#include "engine/text/byte_pairs.h"
#include "engine/text/unicode.h"
#include "engine/text/word_rules.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {
namespace {

class ByteLevelTokenizer : public Tokenizer {
public:
    enum class Frame { None, BeginAndEnd };

    /// @param unknown as BytePairs.
    ByteLevelTokenizer(BytePairTables tables, const TokenizerConfig& config, const WordRules& rules, Frame frame,
        std::optional<std::int64_t> unknown)
        : m_rules(rules)
        , m_pairs(std::move(tables), rules.endOfWord, unknown)
    {
        setTokens(config, m_pairs.size());
        if (frame == Frame::BeginAndEnd)
            setSurroundingTokens({specialIds().begin.value()}, {specialIds().end.value()});
    }

protected:
    std::optional<std::int64_t> find(const std::string& token) const override { return m_pairs.find(token); }

    std::u32string normalized(std::u32string_view text) const override { return m_rules.normalized(text); }

    void appendTokens(std::u32string_view text, std::vector<std::int64_t>& ids) const override
    {
        for (const std::u32string_view word : m_rules.words(text))
            m_pairs.append(utf8(word), ids);
    }

    std::string textOf(const std::vector<std::int64_t>& ids) const override
    {
        std::string text;
        for (const std::int64_t id : ids) {
            std::string bytes = m_pairs.bytes(id);
            if (!m_rules.endOfWord.empty() && bytes.ends_with(m_rules.endOfWord))
                bytes.replace(bytes.size() - m_rules.endOfWord.size(), std::string::npos, " ");
            text += bytes;
        }
        if (!m_rules.endOfWord.empty() && text.ends_with(' '))
            text.pop_back();
        return utf8(codePoints(text));
    }

private:
    const WordRules& m_rules;
    BytePairs m_pairs;
};

/// @param pattern see readBytePairTables(). @param unknown the token for bytes without one; empty: they are left out.
std::unique_ptr<Tokenizer> openByteLevel(const std::filesystem::path& folder, const TokenizerConfig& config,
    const std::string& pattern, const WordRules& rules, ByteLevelTokenizer::Frame frame, const std::string& unknown)
{
    BytePairTables tables = readBytePairTables(folder, pattern);
    std::optional<std::int64_t> unknownId;
    if (const auto token = tables.vocabulary.find(unknown); token != tables.vocabulary.end())
        unknownId = token->second;
    try {
        return std::make_unique<ByteLevelTokenizer>(std::move(tables), config, rules, frame, unknownId);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(folder.string() + ": " + error.what());
    }
}

void setWhereEmpty(std::string& token, const char* value)
{
    if (token.empty())
        token = value;
}

}  // namespace

std::unique_ptr<Tokenizer> openClipTokenizer(const std::filesystem::path& folder, TokenizerConfig config)
{
    setWhereEmpty(config.beginToken, "<|startoftext|>");
    for (std::string* token : {&config.endToken, &config.padToken, &config.unknownToken})
        setWhereEmpty(*token, "<|endoftext|>");
    return openByteLevel(folder, config, R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)", clipWordRules(),
        ByteLevelTokenizer::Frame::BeginAndEnd, config.unknownToken);
}

std::unique_ptr<Tokenizer> openQwen2Tokenizer(const std::filesystem::path& folder, TokenizerConfig config)
{
    for (std::string* token : {&config.endToken, &config.padToken, &config.unknownToken})
        setWhereEmpty(*token, "<|endoftext|>");
    return openByteLevel(folder, config,
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
        qwen2WordRules(), ByteLevelTokenizer::Frame::None, {});
}

}  // namespace engine

// Converts text to token ids that equal those of Hugging Face's tokenizers for CLIP, Qwen2, T5 and UMT5.
#pragma once
#include "engine/text/tokenizer_config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SpecialIds {
    std::optional<std::int64_t> pad;
    std::optional<std::int64_t> begin;
    std::optional<std::int64_t> end;
    std::optional<std::int64_t> unknown;
};

/// Rows of equal length, padded on the right.
struct TokenBatch {
    std::int64_t rows = 0;
    std::int64_t length = 0;
    std::vector<std::int64_t> ids;   ///< [rows × length]
    std::vector<std::int64_t> mask;  ///< [rows × length]: 1 for tokens, 0 for padding
};

enum class Padding { ToLongestRow, ToMaxLength };

/// Any number of threads may call one tokenizer at the same time.
class Tokenizer {
public:
    static constexpr std::size_t kMaxTextBytes = 65536;

    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// Returns the tokens of @p text, without surrounding ones. Bytes that are not UTF-8 count as U+FFFD.
    /// @throws std::runtime_error when the text has more than kMaxTextBytes.
    std::vector<std::int64_t> tokens(std::string_view text) const;

    /// Returns the tokens of @p text with the tokens that this kind of tokenizer puts before and after it. If there are more
    /// than @p maxLength, the end of the text is cut off.
    /// @throws std::runtime_error as tokens(); std::invalid_argument when even the surrounding tokens do not fit.
    std::vector<std::int64_t> encoded(std::string_view text, std::int64_t maxLength) const;

    /// Encodes several texts and pads them. @throws as encoded().
    TokenBatch encodedBatch(std::span<const std::string> texts, std::int64_t maxLength, Padding padding) const;

    /// Returns the text of @p ids, without special tokens.
    std::string decoded(std::span<const std::int64_t> ids) const;

    /// Number of tokens that encoded() puts before and after a text.
    std::int64_t surroundingTokens() const { return static_cast<std::int64_t>(m_before.size() + m_after.size()); }

    const SpecialIds& specialIds() const { return m_specialIds; }
    std::int64_t size() const { return m_size; }  ///< number of different tokens, including added ones

protected:
    Tokenizer() = default;

    /// Must be called by constructors of subclasses, once find() works.
    /// @param config tokens of the files; a subclass fills in the tokens that the files lack
    /// @param vocabularySize number of tokens without added ones
    void setTokens(const TokenizerConfig& config, std::int64_t vocabularySize);
    void setSurroundingTokens(std::vector<std::int64_t> before, std::vector<std::int64_t> after);

    virtual std::optional<std::int64_t> find(const std::string& token) const = 0;  ///< looks @p token up in the vocabulary
    virtual std::u32string normalized(std::u32string_view text) const = 0;
    /// @param text normalized, without added tokens, not empty
    virtual void appendTokens(std::u32string_view text, std::vector<std::int64_t>& ids) const = 0;
    virtual std::string textOf(const std::vector<std::int64_t>& ids) const = 0;

private:
    std::int64_t idOf(const std::string& token, const std::vector<AddedToken>& added) const;

    SpecialIds m_specialIds;
    std::int64_t m_size = 0;
    std::set<std::int64_t> m_special;  ///< ids that decoded() leaves out
    std::unique_ptr<AddedTokenMatcher> m_beforeNormalization;
    std::unique_ptr<AddedTokenMatcher> m_afterNormalization;
    std::vector<std::int64_t> m_before;
    std::vector<std::int64_t> m_after;
};

/// Opens the tokenizer of a folder, of the class that its tokenizer_config.json names.
/// @throws std::runtime_error naming the file and what is wrong with it.
std::unique_ptr<Tokenizer> openTokenizer(const std::filesystem::path& folder);

}  // namespace engine

// Text as token ids, equal to those of Hugging Face's tokenizers: CLIP's and Qwen2's byte pairs, T5's and UMT5's unigrams.
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
    std::vector<std::int64_t> mask;  ///< [rows × length]: 1 where a token stands, 0 on padding
};

enum class Padding { ToLongestRow, ToMaxLength };

/// Any number of threads may call one tokenizer at once.
class Tokenizer {
public:
    static constexpr std::size_t kMostTextBytes = 65536;

    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// The tokens of @p text alone. Bytes that are not UTF-8 count as U+FFFD.
    /// @throws std::runtime_error when the text has more than kMostTextBytes.
    std::vector<std::int64_t> tokens(std::string_view text) const;

    /// With the tokens that this kind puts before and after a text. What is longer than @p maxLength loses tokens of the
    /// text, at its end.
    /// @throws std::runtime_error as tokens(); std::invalid_argument when not even those before and after fit.
    std::vector<std::int64_t> encoded(std::string_view text, std::int64_t maxLength) const;

    /// @throws as encoded().
    TokenBatch encodedBatch(std::span<const std::string> texts, std::int64_t maxLength, Padding padding) const;

    /// Without special tokens.
    std::string decoded(std::span<const std::int64_t> ids) const;

    const SpecialIds& specialIds() const { return m_specialIds; }
    std::int64_t size() const { return m_size; }  ///< different tokens, added ones too

protected:
    Tokenizer() = default;

    /// Called by constructors, when find() works.
    /// @param config its tokens are filled in where files left them out.
    /// @param vocabularySize tokens that are not added.
    void setTokens(const TokenizerConfig& config, std::int64_t vocabularySize);
    void setFrame(std::vector<std::int64_t> before, std::vector<std::int64_t> after);

    virtual std::optional<std::int64_t> find(const std::string& token) const = 0;  ///< in the vocabulary
    virtual std::u32string normalized(std::u32string_view text) const = 0;
    /// @param text normalized, without added tokens, not empty.
    virtual void appendTokens(std::u32string_view text, std::vector<std::int64_t>& ids) const = 0;
    virtual std::string textOf(const std::vector<std::int64_t>& ids) const = 0;

private:
    std::int64_t idOf(const std::string& token, const std::vector<AddedToken>& added) const;

    SpecialIds m_specialIds;
    std::int64_t m_size = 0;
    std::set<std::int64_t> m_special;  ///< ids that decoded() leaves out
    std::unique_ptr<AddedTokenMatcher> m_asGiven;
    std::unique_ptr<AddedTokenMatcher> m_afterNormalization;
    std::vector<std::int64_t> m_before;
    std::vector<std::int64_t> m_after;
};

/// The tokenizer of a folder, by the class that its tokenizer_config.json names.
/// @throws std::runtime_error naming the file and what is wrong with it.
std::unique_ptr<Tokenizer> openTokenizer(const std::filesystem::path& folder);

}  // namespace engine

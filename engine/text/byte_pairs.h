// Byte-level byte-pair encoding: the bytes of a word are merged pair by pair into tokens, in the order of the merge table.
#pragma once
#include "engine/text/byte_pair_tables.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

class BytePairs {
public:
    /// @param endOfWord suffix of the last symbol of a word, such as "</w>"; may be empty
    /// @param unknown token for bytes that are not in the vocabulary; nullopt: such bytes are left out
    /// @throws std::runtime_error naming a merge whose tokens are not all in the vocabulary.
    BytePairs(BytePairTables tables, std::string_view endOfWord, std::optional<std::int64_t> unknown);
    BytePairs(const BytePairs&) = delete;
    BytePairs& operator=(const BytePairs&) = delete;

    /// Appends the tokens of one word, in O(n log n). Any number of threads may call it at the same time.
    /// @param word bytes, not empty
    void append(std::string_view word, std::vector<std::int64_t>& ids) const;

    /// Returns the bytes of a token, including endOfWord if the token has it; empty for an unknown id.
    std::string bytes(std::int64_t id) const;

    std::optional<std::int64_t> find(const std::string& token) const;  ///< @p token in the spelling of the vocabulary
    std::int64_t size() const { return static_cast<std::int64_t>(m_tables.vocabulary.size()); }

private:
    struct Merge {
        std::int32_t rank = 0;
        std::int32_t merged = 0;
    };

    const Merge* find(std::int32_t left, std::int32_t right) const;
    void addMerge(std::size_t rank);

    BytePairTables m_tables;
    std::unordered_map<std::uint64_t, Merge> m_merges;  ///< by left << 32 | right
    std::unordered_map<std::int64_t, const std::string*> m_tokens;
    std::array<std::int32_t, 256> m_byteTokens {};      ///< token of each byte; -1: none
    std::array<std::int32_t, 256> m_lastByteTokens {};  ///< the same with endOfWord
};

/// Returns how vocabularies spell a byte: printable Latin-1 characters as themselves, other bytes as U+0100 and up.
std::string byteSpelling(unsigned char byte);

}  // namespace engine

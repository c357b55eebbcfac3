// Byte-level byte-pair encoding: a word's bytes are merged pair by pair, in the order of the table, into tokens.
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
    /// @param endOfWord what the last symbol of a word ends with, such as "</w>"; may be empty.
    /// @param unknown stands for a byte that the vocabulary has no token for; without it such bytes are left out.
    /// @throws std::runtime_error naming the merge of which the vocabulary lacks a token.
    BytePairs(BytePairTables tables, std::string_view endOfWord, std::optional<std::int64_t> unknown);
    BytePairs(const BytePairs&) = delete;
    BytePairs& operator=(const BytePairs&) = delete;

    /// Appends the tokens of one word. Its cost grows with n log n. Any number of threads may call it at once.
    /// @param word bytes, not empty.
    void append(std::string_view word, std::vector<std::int64_t>& ids) const;

    /// The bytes of a token, with endOfWord where it has that; empty for an id that is none.
    std::string bytes(std::int64_t id) const;

    std::optional<std::int64_t> find(const std::string& token) const;  ///< as the vocabulary spells it
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
    std::array<std::int32_t, 256> m_byteTokens {};      ///< -1: none
    std::array<std::int32_t, 256> m_lastByteTokens {};  ///< with endOfWord
};

/// How vocabularies spell a byte: printable characters of Latin-1 stand for themselves, the others for U+0100 and up.
std::string byteSpelling(unsigned char byte);

}  // namespace engine

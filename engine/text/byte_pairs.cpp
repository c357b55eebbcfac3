#include "engine/text/byte_pairs.h"

#include "engine/contract/formats/safetensors_header.h"
#include "engine/text/unicode.h"

#include <queue>
#include <stdexcept>
#include <tuple>

namespace engine {
namespace {

/// A symbol of a partly merged word, in a doubly linked list; -1 marks the ends.
struct Symbol {
    std::int32_t id = -1;  ///< -1: already merged into the previous symbol
    int previous = -1;
    int next = -1;
};

struct Candidate {
    std::int32_t rank = 0;
    int place = 0;  ///< index of the left symbol

    bool operator<(const Candidate& other) const  // std::priority_queue pops the largest
    {
        return std::tie(rank, place) > std::tie(other.rank, other.place);
    }
};

bool standsForItself(unsigned byte)
{
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

char32_t spellingCharacter(unsigned char byte)
{
    if (standsForItself(byte))
        return byte;
    char32_t others = 0;  // number of unprintable bytes before this one
    for (unsigned before = 0; before < byte; ++before)
        others += standsForItself(before) ? 0U : 1U;
    return 0x100 + others;
}

/// Maps each spelling character to its byte.
std::unordered_map<char32_t, char> spelledBytes()
{
    std::unordered_map<char32_t, char> bytes;
    for (unsigned byte = 0; byte < 256; ++byte)
        bytes[spellingCharacter(static_cast<unsigned char>(byte))] = static_cast<char>(byte);
    return bytes;
}

std::uint64_t pairKey(std::int32_t left, std::int32_t right)
{
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

std::string byteSpelling(unsigned char byte) { return utf8(std::u32string(1, spellingCharacter(byte))); }

BytePairs::BytePairs(BytePairTables tables, std::string_view endOfWord, std::optional<std::int64_t> unknown)
    : m_tables(std::move(tables))
{
    for (const auto& [token, id] : m_tables.vocabulary)
        m_tokens[id] = &token;
    const auto missing = static_cast<std::int32_t>(unknown.value_or(-1));
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string spelling = byteSpelling(static_cast<unsigned char>(byte));
        const auto token = m_tables.vocabulary.find(spelling);
        const auto lastToken = m_tables.vocabulary.find(spelling + std::string(endOfWord));
        m_byteTokens[byte] = token == m_tables.vocabulary.end() ? missing : token->second;
        m_lastByteTokens[byte] = lastToken == m_tables.vocabulary.end() ? missing : lastToken->second;
    }
    m_merges.reserve(m_tables.merges.size());
    for (std::size_t rank = 0; rank < m_tables.merges.size(); ++rank)
        addMerge(rank);
    m_tables.merges = {};
}

void BytePairs::addMerge(std::size_t rank)
{
    const auto& [left, right] = m_tables.merges[rank];
    const auto idOf = [&, merge = &m_tables.merges[rank]](const std::string& token) {
        if (const auto found = m_tables.vocabulary.find(token); found != m_tables.vocabulary.end())
            return found->second;
        throw std::runtime_error("merge " + std::to_string(rank + 1) + ", " + contract::quotedName(merge->first + " " + merge->second)
            + ", needs the token " + contract::quotedName(token) + ", which the vocabulary lacks");
    };
    const std::int32_t leftId = idOf(left);
    const std::int32_t rightId = idOf(right);
    m_merges[pairKey(leftId, rightId)] = {static_cast<std::int32_t>(rank), idOf(left + right)};
}

const BytePairs::Merge* BytePairs::find(std::int32_t left, std::int32_t right) const
{
    if (left < 0 || right < 0)
        return nullptr;
    const auto merge = m_merges.find(pairKey(left, right));
    return merge == m_merges.end() ? nullptr : &merge->second;
}

void BytePairs::append(std::string_view word, std::vector<std::int64_t>& ids) const
{
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    for (std::size_t index = 0; index < word.size(); ++index) {
        const auto byte = static_cast<unsigned char>(word[index]);
        const std::int32_t id = index + 1 < word.size() ? m_byteTokens[byte] : m_lastByteTokens[byte];
        const int place = static_cast<int>(symbols.size());
        if (id >= 0)
            symbols.push_back({id, place - 1, place + 1});
    }
    if (symbols.empty())
        return;
    symbols.back().next = -1;

    std::priority_queue<Candidate> candidates;
    const auto consider = [&](int place) {
        if (place < 0 || symbols[static_cast<std::size_t>(place)].next < 0)
            return;
        const Symbol& left = symbols[static_cast<std::size_t>(place)];
        if (const Merge* merge = find(left.id, symbols[static_cast<std::size_t>(left.next)].id))
            candidates.push({merge->rank, place});
    };
    for (int place = 0; place < static_cast<int>(symbols.size()); ++place)
        consider(place);
    while (!candidates.empty()) {
        const Candidate best = candidates.top();
        candidates.pop();
        Symbol& left = symbols[static_cast<std::size_t>(best.place)];
        if (left.id < 0 || left.next < 0)
            continue;
        Symbol& right = symbols[static_cast<std::size_t>(left.next)];
        const Merge* merge = find(left.id, right.id);
        if (!merge || merge->rank != best.rank)
            continue;  // one of the two has been merged with another symbol since
        left.id = merge->merged;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0)
            symbols[static_cast<std::size_t>(left.next)].previous = best.place;
        consider(left.previous);
        consider(best.place);
    }
    for (int place = 0; place >= 0; place = symbols[static_cast<std::size_t>(place)].next)
        ids.push_back(symbols[static_cast<std::size_t>(place)].id);
}

std::string BytePairs::bytes(std::int64_t id) const
{
    static const std::unordered_map<char32_t, char> spelled = spelledBytes();
    const auto token = m_tokens.find(id);
    if (token == m_tokens.end())
        return {};
    std::string bytes;
    for (const char32_t character : codePoints(*token->second)) {
        if (const auto byte = spelled.find(character); byte != spelled.end())
            bytes += byte->second;
        else
            bytes += utf8(std::u32string(1, character));
    }
    return bytes;
}

std::optional<std::int64_t> BytePairs::find(const std::string& token) const
{
    const auto found = m_tables.vocabulary.find(token);
    if (found == m_tables.vocabulary.end())
        return std::nullopt;
    return found->second;
}

}  // namespace engine

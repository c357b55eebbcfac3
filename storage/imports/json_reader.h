// Reads JSON of any size token by token, with little memory.
#pragma once
#include "storage/imports/text_blocks.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace storage {

/// The file ends within a value.
class JsonTorn : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reads one value, or several that follow each other (JSON lines). NaN, Infinity and -Infinity are numbers, as Python writes them.
/// All functions throw std::runtime_error in one sentence that names the file, and line and column of what is no JSON.
class JsonReader {
public:
    enum class Token { BeginObject, EndObject, BeginArray, EndArray, Name, Text, Number, True, False, Null, End };

    explicit JsonReader(const std::filesystem::path& file)
        : m_blocks(file)
    {
    }

    Token next();  ///< @throws JsonTorn, a std::runtime_error
    std::string_view text() const { return m_text; }   ///< of a Name or Text; valid until the next call
    double number() const { return m_number; }         ///< of a Number
    bool isNested() const { return !m_open.empty(); }  ///< within an object or array
    /// Reads up to the end of the object or array whose beginning was read last; no-op after another token.
    void skip(Token token);

    /// Throws a sentence about the token that was read last.
    [[noreturn]] void fail(const std::string& what) const;
    const std::filesystem::path& file() const { return m_blocks.file(); }

    static constexpr std::size_t kMostLevels = 64;
    static constexpr std::size_t kLongestText = std::size_t {16} << 20;

private:
    void skipSpace();
    char peek();  ///< throws when the file ends
    Token value(char first);
    Token begin(Token token);
    Token close(char bracket);
    Token word(std::string_view word, Token token);
    Token readNumber();
    void readText();
    void appendEscape();
    unsigned readHex();
    std::string where() const;

    TextBlocks m_blocks;
    std::string m_open;  ///< the brackets that are open, outermost first
    bool m_hasName = false;    ///< an object's name was read, but not its value
    bool m_needsColon = false;
    bool m_needsComma = false;  ///< or the end of what is open
    std::string_view m_text;
    std::string m_unescaped;  ///< what m_text lies in when it has escapes or is long
    double m_number = 0;
    std::int64_t m_line = 1;
    std::uint64_t m_lineOffset = 0;  ///< of the line's first byte
    std::uint64_t m_offset = 0;      ///< of the token that was read last
};

}  // namespace storage

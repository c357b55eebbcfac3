#include "storage/imports/json_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace storage {
namespace {

/// No token but a text is longer.
constexpr std::size_t kTokenBytes = 2048;

void appendUtf8(std::string& out, unsigned code)
{
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0U | code >> 6U);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0U | code >> 12U);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | code >> 18U);
        tail(12);
        tail(6);
        tail(0);
    }
}

bool isControl(char character) { return static_cast<unsigned char>(character) < 0x20; }

}  // namespace

JsonReader::Token JsonReader::next()
{
    skipSpace();
    m_offset = m_blocks.offset();
    if (m_open.empty())
        return m_blocks.ahead(1).empty() ? Token::End : value(peek());
    char first = peek();
    const bool isAfterComma = m_needsComma && first == ',';
    if (isAfterComma || (m_needsColon && first == ':')) {
        m_needsComma = m_needsColon = false;
        m_blocks.skip(1);
        skipSpace();
        m_offset = m_blocks.offset();
        first = peek();
    }
    if (m_needsColon)
        fail("a colon is missing");
    if ((first == '}' || first == ']') && !isAfterComma && !m_hasName)
        return close(first);
    if (m_needsComma)
        fail("a comma is missing");
    if (m_open.back() == '[' || m_hasName)
        return value(first);
    if (first != '"')
        fail("is not JSON: a name in quotation marks is missing");
    readText();
    m_hasName = m_needsColon = true;
    return Token::Name;
}

void JsonReader::skip(Token token)
{
    if (token != Token::BeginObject && token != Token::BeginArray)
        return;
    for (const std::size_t level = m_open.size(); m_open.size() >= level;)
        next();
}

void JsonReader::skipSpace()
{
    for (;;) {
        const std::string_view text = m_blocks.ahead(kTokenBytes);
        std::size_t at = 0;
        for (; at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'); ++at) {
            if (text[at] == '\n') {
                ++m_line;
                m_lineOffset = m_blocks.offset() + at + 1;
            }
        }
        m_blocks.skip(at);
        if (at < text.size() || text.empty())
            return;
    }
}

char JsonReader::peek()
{
    const std::string_view text = m_blocks.ahead(1);
    if (text.empty())
        throw JsonTorn(where() + "the file ends too early");
    return text.front();
}

JsonReader::Token JsonReader::value(char first)
{
    m_hasName = false;
    m_needsComma = !m_open.empty();
    switch (first) {
    case '{':
        return begin(Token::BeginObject);
    case '[':
        return begin(Token::BeginArray);
    case '"':
        readText();
        return Token::Text;
    case 't':
        return word("true", Token::True);
    case 'f':
        return word("false", Token::False);
    case 'n':
        return word("null", Token::Null);
    case 'N':
        m_number = std::numeric_limits<double>::quiet_NaN();
        return word("NaN", Token::Number);
    case 'I':
        m_number = std::numeric_limits<double>::infinity();
        return word("Infinity", Token::Number);
    default:
        return readNumber();
    }
}

JsonReader::Token JsonReader::begin(Token token)
{
    if (m_open.size() == kMostLevels)
        fail("is nested more than " + std::to_string(kMostLevels) + " levels deep");
    m_open += token == Token::BeginObject ? '{' : '[';
    m_needsComma = false;
    m_blocks.skip(1);
    return token;
}

JsonReader::Token JsonReader::close(char bracket)
{
    const bool isObject = bracket == '}';
    if (m_open.back() != (isObject ? '{' : '['))
        fail("is not JSON: the brackets do not match");
    m_open.pop_back();
    m_needsComma = !m_open.empty();
    m_blocks.skip(1);
    return isObject ? Token::EndObject : Token::EndArray;
}

JsonReader::Token JsonReader::word(std::string_view word, Token token)
{
    const std::string_view text = m_blocks.ahead(word.size());
    if (text.size() < word.size() && word.starts_with(text))
        throw JsonTorn(where() + "the file ends too early");
    if (!text.starts_with(word))
        fail("is not JSON");
    m_blocks.skip(word.size());
    return token;
}

JsonReader::Token JsonReader::readNumber()
{
    const std::string_view text = m_blocks.ahead(kTokenBytes);
    if (text.starts_with("-I")) {
        m_number = -std::numeric_limits<double>::infinity();
        return word("-Infinity", Token::Number);
    }
    const char* const begin = text.data();
    if (text.front() != '-' && (text.front() < '0' || text.front() > '9'))
        fail("is not JSON");
    const auto [end, error] = std::from_chars(begin, begin + text.size(), m_number);
    if (error == std::errc::result_out_of_range) {
        const bool isTiny = std::string_view(begin, end).find_first_of("eE") != std::string_view::npos
            && std::string_view(begin, end).find("-", 1) != std::string_view::npos;
        m_number = std::copysign(isTiny ? 0 : std::numeric_limits<double>::infinity(), text.front() == '-' ? -1.0 : 1.0);
    } else if (error != std::errc {} || !std::isfinite(m_number)) {
        fail("is not JSON");
    }
    const auto bytes = static_cast<std::size_t>(end - begin);
    if (bytes >= kTokenBytes)
        fail("a number is longer than 2 KiB");
    if (bytes == text.size() && !m_open.empty())
        throw JsonTorn(where() + "the file ends too early");
    m_blocks.skip(bytes);
    return Token::Number;
}

/// Reads from one quotation mark to the other, into m_text.
void JsonReader::readText()
{
    m_blocks.skip(1);
    m_unescaped.clear();
    for (;;) {
        const std::string_view text = m_blocks.ahead(kTokenBytes);
        std::size_t at = 0;
        while (at < text.size() && text[at] != '"' && text[at] != '\\' && !isControl(text[at]))
            ++at;
        if (at < text.size() && text[at] == '"' && m_unescaped.empty()) {
            m_text = text.substr(0, at);
            return m_blocks.skip(at + 1);
        }
        m_unescaped.append(text, 0, at);
        m_blocks.skip(at);
        if (m_unescaped.size() > kLongestText)
            fail("a text is longer than 16 MiB");
        if (at == text.size()) {
            peek();
            continue;
        }
        if (isControl(text[at]))
            fail(text[at] == '\0' ? "holds a NUL byte; the file is damaged" : "a text holds a control character, such as a line break");
        m_blocks.skip(1);
        if (text[at] == '"') {
            m_text = m_unescaped;
            return;
        }
        appendEscape();
    }
}

/// Reads what follows a backslash.
void JsonReader::appendEscape()
{
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char name = peek();
    m_blocks.skip(1);
    if (const std::size_t which = kNames.find(name); which != std::string_view::npos) {
        m_unescaped += kMeant[which];
        return;
    }
    if (name != 'u')
        fail("is not JSON: a backslash is followed by what means nothing");
    constexpr unsigned kReplacement = 0xFFFD;
    unsigned code = readHex();
    if (code >= 0xD800 && code < 0xDC00 && m_blocks.ahead(6).starts_with("\\u")) {
        m_blocks.skip(2);
        const unsigned low = readHex();
        code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : kReplacement;
    }
    appendUtf8(m_unescaped, code >= 0xD800 && code < 0xE000 ? kReplacement : code);
}

unsigned JsonReader::readHex()
{
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
        const char digit = peek();
        unsigned number = 0;
        if (std::from_chars(&digit, &digit + 1, number, 16).ec != std::errc {})
            fail("is not JSON: \\u needs four hexadecimal digits");
        code = code * 16 + number;
        m_blocks.skip(1);
    }
    return code;
}

std::string JsonReader::where() const
{
    const std::uint64_t column = m_offset - m_lineOffset + 1;
    return file().string() + ": line " + std::to_string(m_line) + ", column " + std::to_string(column) + ": ";
}

void JsonReader::fail(const std::string& what) const { throw std::runtime_error(where() + what); }

}  // namespace storage

#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostBytes = std::size_t {1} << 22;

constexpr std::array kNumbers = {"0"sv, "-0"sv, "-1"sv, "1"sv, "2"sv, "127"sv, "128"sv, "255"sv, "256"sv, "32768"sv, "65535"sv, "65536"sv,
    "2147483647"sv, "2147483648"sv, "-2147483648"sv, "-2147483649"sv, "4294967295"sv, "4294967296"sv, "9007199254740992"sv,
    "9007199254740993"sv, "9223372036854775807"sv, "9223372036854775808"sv, "-9223372036854775808"sv, "-9223372036854775809"sv,
    "18446744073709551615"sv, "18446744073709551616"sv, "1e15"sv, "1e18"sv, "1e19"sv, "1e308"sv, "-1e309"sv, "1e309"sv, "1e-400"sv,
    "1e99999999"sv, "0.1"sv, ".5"sv, "5."sv, "007"sv, "0x10"sv, "1_000"sv, "NaN"sv, "nan"sv, "inf"sv, "-Infinity"sv, "\"NaN\""sv,
    "\"Infinity\""sv, "null"sv, "true"sv, "[]"sv, "{}"sv, "\"\""sv, "+1"sv, "1e"sv, "--1"sv};

constexpr std::array kIntegers = {std::uint64_t {0}, std::uint64_t {1}, std::uint64_t {0x7f}, std::uint64_t {0x80}, std::uint64_t {0xff},
    std::uint64_t {0x7fff}, std::uint64_t {0x8000}, std::uint64_t {0xffff}, std::uint64_t {0x7fffffff}, std::uint64_t {0x80000000},
    std::uint64_t {0xffffffff}, std::uint64_t {0x100000000}, std::uint64_t {0x7fffffffffffffff}, std::uint64_t {0x8000000000000000},
    std::uint64_t {0xffffffffffffffff}, std::uint64_t {0xfffffffffffffff8}};

/// Bytes that text must not hold, that end it early, or that a terminal obeys.
constexpr std::array kCharacters = {"\0"sv, "\x01"sv, "\t"sv, "\n"sv, "\r"sv, "\r\n"sv, "\x1b[2J"sv, "\x7f"sv, "\x80"sv, "\xff"sv, "\xfe\xff"sv,
    "\xc0\x80"sv, "\xe2\x82"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf8\x88\x80\x80\x80"sv, "\xef\xbb\xbf"sv, "\xe2\x80\xae"sv,
    "\xe2\x80\xa8"sv, "\xc2\x85"sv, "\xcc\x88"sv, "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9"sv, "\\u0000"sv, "\\ud800"sv, "\\udc00\\ud800"sv,
    "\\"sv, "\""sv, "'"sv, "\"\"\""sv, "'''"sv, "#"sv, "="sv, "."sv, ".."sv, "../../"sv, "/"sv, "/dev/zero"sv, "*"sv, "(.*)*"sv, "(a|a)*"sv, "%s%n"sv,
    "<b>"sv, ","sv, ",,"sv, ":"sv, "["sv, "]"sv, "{"sv, "}"sv, "[["sv, "]]"sv};

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    for (; count > 0 && text.size() + part.size() <= kMostBytes; --count)
        text += part;
    return text;
}

/// Mostly short, sometimes very long: stacks and quadratic loops show only there.
std::size_t someLength(Random& random)
{
    constexpr std::array kLengths = {std::size_t {1}, std::size_t {2}, std::size_t {3}, std::size_t {5}, std::size_t {17}, std::size_t {64},
        std::size_t {300}, std::size_t {5'000}, std::size_t {100'000}};
    return kLengths[random.below(random.oneIn(4) ? kLengths.size() : 5)];
}

std::string nested(Random& random)
{
    constexpr std::array kPairs = {std::pair {"["sv, "]"sv}, std::pair {"{\"a\":"sv, "}"sv}, std::pair {"[{\"a\":"sv, "}]"sv},
        std::pair {"{a="sv, "}"sv}, std::pair {"("sv, ")"sv}, std::pair {"a."sv, ""sv}, std::pair {"[[a]]\n"sv, ""sv}};
    const auto& [open, close] = random.anyOf(kPairs);
    const std::size_t depth = someLength(random);
    return repeated(open, depth) + (random.oneIn(2) ? "1" : "") + (random.oneIn(3) ? "" : repeated(close, depth));
}

std::string someText(Random& random)
{
    switch (random.below(5)) {
    case 0:
        return std::string(random.anyOf(kNumbers));
    case 1:
        return nested(random);
    case 2:
        return repeated(random.oneIn(2) ? "A"sv : random.anyOf(kCharacters), someLength(random));
    case 3:
        return std::string(1, static_cast<char>(random.below(256)));
    default:
        return std::string(random.anyOf(kCharacters));
    }
}

void overwriteInteger(std::string& content, Random& random)
{
    constexpr std::array kWidths = {std::size_t {1}, std::size_t {2}, std::size_t {4}, std::size_t {8}};
    const std::size_t width = std::min(random.anyOf(kWidths), content.size());
    const std::size_t head = random.oneIn(4) ? std::min<std::size_t>(content.size(), 32) : content.size();
    const std::size_t begin = std::min(random.below(head), content.size() - width);
    const bool isBigEndian = random.oneIn(2);
    const std::uint64_t value = random.anyOf(kIntegers);
    for (std::size_t i = 0; i < width; ++i)
        content[begin + i] = static_cast<char>(value >> 8 * (isBigEndian ? width - 1 - i : i));
}

/// A random range of at most a quarter of the text.
std::pair<std::size_t, std::size_t> someRange(const std::string& content, Random& random)
{
    const std::size_t begin = random.below(content.size());
    const std::size_t size = 1 + random.below(std::max<std::size_t>(1, content.size() / 4));
    return {begin, std::min(size, content.size() - begin)};
}

void changeBytes(std::string& content, Random& random)
{
    const auto [begin, size] = someRange(content, random);
    switch (random.below(8)) {
    case 0:
        content[begin] = static_cast<char>(static_cast<unsigned char>(content[begin]) ^ (1U << random.below(8)));
        break;
    case 1:
        content[begin] = static_cast<char>(random.below(256));
        break;
    case 2:
        overwriteInteger(content, random);
        break;
    case 3:
        content.resize(begin);
        break;
    case 4:
        content.erase(begin, size);
        break;
    case 5:
        content.insert(begin, repeated(content.substr(begin, size), someLength(random)));
        break;
    case 6:
        content.insert(begin, someText(random));
        break;
    default:
        std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(begin), size, random.oneIn(2) ? '\0' : '\xff');
    }
}

void changeElement(std::string& content, const std::string& other, Random& random)
{
    const std::vector<Element> elements = elementsOf(content);
    if (elements.empty())
        return changeBytes(content, random);
    const auto kind = static_cast<Element::Kind>(random.below(4));
    std::vector<Element> ofKind;
    std::ranges::copy_if(elements, std::back_inserter(ofKind), [&](const Element& element) { return element.kind == kind; });
    const std::vector<Element>& candidates = ofKind.empty() ? elements : ofKind;
    const Element element = random.anyOf(candidates);
    const std::string text = content.substr(element.begin, element.size);
    switch (random.below(7)) {
    case 0:
        content.erase(element.begin, element.size);
        break;
    case 1:
        content.insert(element.begin, repeated(text, someLength(random)));
        break;
    case 2: {  // swaps two
        Element second = random.anyOf(candidates);
        Element first = element;
        if (second.begin < first.begin)
            std::swap(first, second);
        if (first.begin + first.size > second.begin)
            break;
        const std::string secondText = content.substr(second.begin, second.size);
        const std::string firstText = content.substr(first.begin, first.size);
        content.replace(second.begin, second.size, firstText);
        content.replace(first.begin, first.size, secondText);
        break;
    }
    case 3: {  // one element in place of another, perhaps of another file
        const std::string& source = random.oneIn(2) ? content : other;
        const std::vector<Element> all = elementsOf(source);
        if (all.empty())
            break;
        const Element taken = random.anyOf(all);
        content.replace(element.begin, element.size, source.substr(taken.begin, taken.size));
        break;
    }
    case 4:
        content.replace(element.begin, element.size, element.kind == Element::Kind::String ? '"' + someText(random) + '"' : someText(random));
        break;
    case 5:
        content.replace(element.begin, element.size, std::string(random.anyOf(kNumbers)));
        break;
    default:
        content.insert(element.begin + 1 + random.below(element.size), someText(random));
    }
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t index)
{
    std::seed_seq words {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(index),
        static_cast<std::uint32_t>(index >> 32)};
    m_engine.seed(words);
}

std::vector<Element> elementsOf(std::string_view text)
{
    std::vector<Element> elements;
    std::vector<std::size_t> open;
    std::size_t line = 0;
    std::size_t unquoted = 0;  // quotes before here have no end; looking again for the end of each would take quadratic time
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char character = text[at];
        const auto isDigit = [&](std::size_t place) { return place < text.size() && text[place] >= '0' && text[place] <= '9'; };
        if ((character == '"' || character == '\'') && at >= unquoted) {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != character && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            if (end < text.size() && text[end] == character) {
                elements.push_back({Element::Kind::String, at, end + 1 - at});
                at = end;
            } else {
                unquoted = end;
            }
        } else if (isDigit(at) || (character == '-' && isDigit(at + 1))) {
            std::size_t end = at + 1;
            while (isDigit(end) || (end < text.size() && (text[end] == '.' || text[end] == 'e' || text[end] == 'E')))
                ++end;
            elements.push_back({Element::Kind::Number, at, end - at});
            at = end - 1;
        } else if (character == '[' || character == '{') {
            open.push_back(at);
        } else if ((character == ']' || character == '}') && !open.empty()) {
            elements.push_back({Element::Kind::Brackets, open.back(), at + 1 - open.back()});
            open.pop_back();
        }
        if (text[at] == '\n') {
            elements.push_back({Element::Kind::Line, line, at + 1 - line});
            line = at + 1;
        }
    }
    return elements;
}

Mutator::Mutator(std::vector<std::string> contents)
    : m_contents(std::move(contents))
{
}

std::string Mutator::mutated(std::string content, Random& random) const
{
    const std::size_t changes = std::size_t {1} << random.below(4);
    for (std::size_t i = 0; i < changes; ++i)
        change(content, random);
    if (content.size() > kMostBytes)
        content.resize(kMostBytes);
    return content;
}

void Mutator::change(std::string& content, Random& random) const
{
    const std::string& other = random.anyOf(m_contents);
    if (content.empty() || content.size() > kMostBytes / 2) {
        content = someText(random);
    } else if (random.oneIn(12)) {  // the beginning of one file and the end of another
        content.resize(random.below(content.size()));
        content += other.substr(random.below(other.size() + 1));
    } else if (random.below(3) == 0) {
        changeBytes(content, random);
    } else {
        changeElement(content, other, random);
    }
}

}  // namespace fuzz

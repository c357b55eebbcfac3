#include "engine/contract/formats/expression_parser.h"

#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>

namespace contract {
namespace {

using Characters = std::bitset<256>;

constexpr std::size_t kMaxPattern = 1000;
constexpr std::size_t kMaxStates = 2000;

std::size_t indexOf(char character) { return static_cast<unsigned char>(character); }

std::size_t firstOf(const Characters& characters)
{
    std::size_t code = 0;
    while (code < characters.size() && !characters.test(code))
        ++code;
    return code;
}

/// The characters of \d, \w, \s and their opposites; empty for other letters.
Characters classOf(char letter)
{
    Characters characters;
    for (int code = 0; code < 128; ++code) {
        const char character = static_cast<char>(code);
        const bool isIn = std::tolower(letter) == 'd' ? std::isdigit(code) != 0
            : std::tolower(letter) == 'w'             ? isWordCharacter(character)
            : std::tolower(letter) == 's'             ? std::isspace(code) != 0
                                                      : false;
        characters.set(indexOf(character), isIn);
    }
    const bool isOpposite = letter == 'D' || letter == 'W' || letter == 'S';
    return isOpposite ? ~characters : characters;
}

/// Builds the automaton from its end to its start: each function gets the state that follows and returns the state that begins.
/// An expression is parsed by parse…(next); one that is repeated is parsed again for each repetition.
class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view pattern)
        : m_pattern(pattern)
    {
    }

    ExpressionAutomaton parse()
    {
        const std::size_t start = alternatives(add({}));
        if (m_at < m_pattern.size())
            fail("has a ) without a (");
        return {std::move(m_states), start};
    }

private:
    using State = ExpressionAutomaton::State;
    using Kind = ExpressionAutomaton::Kind;

    /// One item of a sequence: where its atom begins, and how often it is repeated.
    struct Item {
        std::size_t begin = 0;
        std::size_t least = 1;
        std::size_t most = 1;  ///< kUnlimited: any number
    };
    static constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);
    static constexpr std::size_t kMaxWork = 50'000;

    [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

    std::size_t add(State state)
    {
        if (m_states.size() >= kMaxStates)
            fail("is too large: it has too many repetitions");
        m_states.push_back(std::move(state));
        return m_states.size() - 1;
    }
    std::size_t fork(std::size_t first, std::size_t second) { return add({.kind = Kind::Fork, .next = first, .other = second, .characters = {}}); }
    std::size_t step(const Characters& characters, std::size_t next)
    {
        return add({.kind = Kind::Character, .next = next, .other = 0, .characters = characters});
    }

    bool isAtEnd() const { return m_at >= m_pattern.size(); }
    bool take(std::string_view text)
    {
        if (!m_pattern.substr(m_at).starts_with(text))
            return false;
        m_at += text.size();
        return true;
    }
    char takeCharacter(const char* what)
    {
        if (isAtEnd())
            fail(what);
        return m_pattern[m_at++];
    }

    /// a|b|c, up to the end or a closing parenthesis
    std::size_t alternatives(std::size_t next)
    {
        std::size_t start = sequence(next);
        while (take("|")) {
            const std::size_t other = sequence(next);
            start = fork(start, other);
        }
        return start;
    }

    std::size_t sequence(std::size_t next)
    {
        std::vector<Item> items;
        while (!isAtEnd() && m_pattern[m_at] != '|' && m_pattern[m_at] != ')')
            items.push_back(item());
        const std::size_t end = m_at;
        for (auto each = items.rbegin(); each != items.rend(); ++each)
            next = repeated(*each, next);
        m_at = end;
        return next;
    }

    /// Reads an item without building it.
    Item item()
    {
        Item item {.begin = m_at};
        skipAtom();
        if (take("*"))
            item = {item.begin, 0, kUnlimited};
        else if (take("+"))
            item = {item.begin, 1, kUnlimited};
        else if (take("?"))
            item = {item.begin, 0, 1};
        else if (take("{"))
            counts(item);
        else
            return item;
        take("?");  // shortest match first: the same texts match as a whole
        if (!isAtEnd() && (m_pattern[m_at] == '*' || m_pattern[m_at] == '+' || m_pattern[m_at] == '{'))
            fail("has two repetitions in a row");
        return item;
    }

    /// What follows a {: m}, m,} or m,n}
    void counts(Item& item)
    {
        item.least = number();
        item.most = item.least;
        if (take(","))
            item.most = !isAtEnd() && m_pattern[m_at] == '}' ? kUnlimited : number();
        if (!take("}") || item.most < item.least)
            fail("has a {…} that is not a number of repetitions");
    }

    std::size_t number()
    {
        constexpr std::size_t kMaxRepetitions = 1000;
        const std::size_t begin = m_at;
        std::size_t value = 0;
        while (!isAtEnd() && std::isdigit(static_cast<unsigned char>(m_pattern[m_at])) && value <= kMaxRepetitions)
            value = value * 10 + static_cast<std::size_t>(m_pattern[m_at++] - '0');
        if (begin == m_at)
            fail("has a {…} that is not a number of repetitions");
        if (value > kMaxRepetitions)
            fail("is too large: it has too many repetitions");
        return value;
    }

    std::size_t atomAt(std::size_t begin, std::size_t next)
    {
        if (++m_work > kMaxWork)
            fail("is too large: it has too many repetitions");
        m_at = begin;
        return atom(next);
    }

    std::size_t repeated(const Item& item, std::size_t next)
    {
        if (item.most == kUnlimited) {
            const std::size_t loop = fork(0, next);
            const std::size_t inner = atomAt(item.begin, loop);
            m_states[loop].next = inner;
            next = loop;
        } else {
            const std::size_t end = next;
            for (std::size_t i = item.least; i < item.most; ++i) {
                const std::size_t inner = atomAt(item.begin, next);
                next = fork(inner, end);
            }
        }
        for (std::size_t i = 0; i < item.least; ++i)
            next = atomAt(item.begin, next);
        return next;
    }

    /// Finds the end of an atom by building it and dropping the result.
    void skipAtom()
    {
        const std::size_t size = m_states.size();
        const bool wasSkipping = std::exchange(m_isSkipping, true);
        atom(0);
        m_isSkipping = wasSkipping;
        m_states.resize(size);
    }

    std::size_t atom(std::size_t next)
    {
        const char character = takeCharacter("ends too early");
        switch (character) {
        case '(':
            return group(next);
        case '[':
            return step(brackets(), next);
        case '.':
            return step(~Characters().set(indexOf('\n')), next);
        case '^':
            return add({.kind = Kind::Begin, .next = next, .other = 0, .characters = {}});
        case '$':
            return add({.kind = Kind::End, .next = next, .other = 0, .characters = {}});
        case '\\':
            return escape(next);
        case '*':
        case '+':
        case '?':
        case '{':
            fail(std::string("has a ") + character + " that repeats nothing");
        default:
            return step(Characters().set(indexOf(character)), next);
        }
    }

    std::size_t group(std::size_t next)
    {
        constexpr int kMaxDepth = 50;
        if (++m_depth > kMaxDepth)
            fail("is nested too deeply");
        std::size_t start = 0;
        const bool isAhead = take("?=");
        if (isAhead || take("?!")) {
            const std::size_t inner = groupContent(add({}));
            start = add({.kind = isAhead ? Kind::Ahead : Kind::NotAhead, .next = next, .other = inner, .characters = {}});
        } else {
            if (take("?P<") || (take("?<") && !isAtEnd() && m_pattern[m_at] != '=' && m_pattern[m_at] != '!'))
                skipName();
            else if (!take("?:") && !isAtEnd() && (m_pattern[m_at] == '?' || m_pattern[m_at - 1] == '<'))
                fail("has a (?…) that is not supported here, such as a look-behind");
            start = groupContent(next);
        }
        --m_depth;
        return start;
    }

    void skipName()
    {
        while (takeCharacter("has a name of a group without >") != '>') { }
    }

    std::size_t groupContent(std::size_t next)
    {
        const std::size_t start = m_isSkipping ? skippedGroup() : alternatives(next);
        if (!take(")"))
            fail("has a ( without a )");
        return start;
    }

    /// Goes to the end of a group that is only skipped, reading each of its atoms once.
    std::size_t skippedGroup()
    {
        while (!isAtEnd() && m_pattern[m_at] != ')') {
            if (!take("|"))
                item();
        }
        return 0;
    }

    std::size_t escape(std::size_t next)
    {
        const char letter = takeCharacter("ends with a \\");
        switch (letter) {
        case 'b':
            return add({.kind = Kind::WordEdge, .next = next, .other = 0, .characters = {}});
        case 'B':
            return add({.kind = Kind::NoWordEdge, .next = next, .other = 0, .characters = {}});
        case 'A':
            return add({.kind = Kind::Begin, .next = next, .other = 0, .characters = {}});
        case 'Z':
            return add({.kind = Kind::End, .next = next, .other = 0, .characters = {}});
        default:
            return step(escaped(letter), next);
        }
    }

    /// The characters that \letter stands for, inside and outside brackets.
    static Characters escaped(char letter)
    {
        if (const Characters characters = classOf(letter); characters.any())
            return characters;
        constexpr std::string_view kLetters = "tnrfv";
        if (const auto at = kLetters.find(letter); at != std::string_view::npos)
            return Characters().set(indexOf("\t\n\r\f\v"[at]));
        if (std::isalnum(static_cast<unsigned char>(letter)))
            fail(std::string("has \\") + letter + ", which is not supported here");
        return Characters().set(indexOf(letter));
    }

    Characters bracketItem()
    {
        constexpr const char* kUnclosed = "has a [ without a ]";
        const char character = takeCharacter(kUnclosed);
        return character == '\\' ? escaped(takeCharacter(kUnclosed)) : Characters().set(indexOf(character));
    }

    Characters brackets()
    {
        const bool isOpposite = take("^");
        Characters characters;
        for (bool isFirst = true; isFirst || !take("]"); isFirst = false) {
            Characters one = bracketItem();
            const bool isRange = one.count() == 1 && m_at + 1 < m_pattern.size() && m_pattern[m_at] == '-' && m_pattern[m_at + 1] != ']';
            if (isRange) {
                ++m_at;
                const Characters last = bracketItem();
                if (last.count() != 1 || firstOf(last) < firstOf(one))
                    fail("has a range in [] that does not go from one character to a later one");
                for (std::size_t code = firstOf(one); code <= firstOf(last); ++code)
                    one.set(code);
            }
            characters |= one;
        }
        return isOpposite ? ~characters : characters;
    }

    std::string_view m_pattern;
    std::vector<State> m_states;
    std::size_t m_at = 0;
    std::size_t m_work = 0;
    int m_depth = 0;
    bool m_isSkipping = false;
};

}  // namespace

ExpressionAutomaton parseExpression(std::string_view pattern)
{
    if (pattern.size() > kMaxPattern)
        throw std::runtime_error("is too long: it has more than " + std::to_string(kMaxPattern) + " bytes");
    return ExpressionParser(pattern).parse();
}

bool isWordCharacter(char character) { return std::isalnum(static_cast<unsigned char>(character)) || character == '_'; }

}  // namespace contract

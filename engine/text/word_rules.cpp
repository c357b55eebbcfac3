#include "engine/text/word_rules.h"

#include "engine/text/unicode.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

using Text = std::u32string_view;

bool isNewline(char32_t character) { return character == U'\r' || character == U'\n'; }

bool isOther(char32_t character)
{
    return !isWhitespace(character) && !isLetter(character) && !isNumber(character);
}

template <typename Class>
std::size_t endOfRun(Text text, std::size_t place, Class isOfClass)
{
    while (place < text.size() && isOfClass(text[place]))
        ++place;
    return place;
}

/// Returns the length of 's, 't, 're, 've, 'm, 'll or 'd at the beginning of @p text, or 0.
std::size_t contraction(Text text)
{
    for (const Text one : {Text(U"'s"), Text(U"'t"), Text(U"'re"), Text(U"'ve"), Text(U"'m"), Text(U"'ll"), Text(U"'d")}) {
        if (text.starts_with(one))
            return one.size();
    }
    return 0;
}

std::u32string normalizedForClip(Text text) { return lowerCase(singleSpaced(composed(text))); }

/// Adds the three words of <|startoftext|> or <|endoftext|> when the text begins with one of them. @return its length or 0
std::size_t addControlWords(Text text, Words& words)
{
    for (const Text control : {Text(U"<|startoftext|>"), Text(U"<|endoftext|>")}) {
        if (!text.starts_with(control))
            continue;
        words.push_back(text.substr(0, 2));
        words.push_back(text.substr(2, control.size() - 4));
        words.push_back(text.substr(control.size() - 2, 2));
        return control.size();
    }
    return 0;
}

Words clipWords(Text text)
{
    Words words;
    for (std::size_t place = 0; place < text.size();) {
        const Text rest = text.substr(place);
        if (const std::size_t length = addControlWords(rest, words)) {
            place += length;
            continue;
        }
        std::size_t end = place + contraction(rest);
        if (end == place)
            end = endOfRun(text, place, isLetter);
        if (end == place && isNumber(text[place]))
            ++end;
        if (end == place)
            end = endOfRun(text, place, isOther);
        if (end == place)
            ++end;  // white space
        else
            words.push_back(text.substr(place, end - place));
        place = end;
    }
    return words;
}

/// Like contraction(), but ignores case, with the long s (U+017F) as an s.
std::size_t contractionOfAnyCase(Text text)
{
    std::array<char32_t, 3> start {};
    for (std::size_t index = 0; index < start.size() && index < text.size(); ++index) {
        const char32_t character = text[index];
        start[index] = character >= U'A' && character <= U'Z' ? character + (U'a' - U'A') : character == 0x17F ? U's' : character;
    }
    return contraction(Text(start.data(), std::min(start.size(), text.size())));
}

/// Returns the end of a match of [^\r\n\p{L}\p{N}]?\p{L}+ at @p place, or @p place.
std::size_t endOfLetters(Text text, std::size_t place)
{
    const bool isLed = !isNewline(text[place]) && !isLetter(text[place]) && !isNumber(text[place]);
    const std::size_t first = place + (isLed ? 1 : 0);
    const std::size_t end = endOfRun(text, first, isLetter);
    return end > first ? end : place;
}

/// Returns the end of a match of " ?[^\s\p{L}\p{N}]+[\r\n]*" at @p place, or @p place.
std::size_t endOfOthers(Text text, std::size_t place)
{
    const std::size_t first = place + (text[place] == U' ' ? 1 : 0);
    const std::size_t end = endOfRun(text, first, isOther);
    return end > first ? endOfRun(text, end, isNewline) : place;
}

/// Returns the end of a match of \s*[\r\n]+|\s+(?!\S)|\s+ at white space: after its last newline, else before the last white
/// space of several if a word follows, because that space may belong to the word.
std::size_t endOfSpace(Text text, std::size_t place)
{
    const std::size_t end = endOfRun(text, place, isWhitespace);
    for (std::size_t last = end; last > place; --last) {
        if (isNewline(text[last - 1]))
            return last;
    }
    return end < text.size() && end - place > 1 ? end - 1 : end;
}

std::size_t endOfQwen2Word(Text text, std::size_t place)
{
    if (const std::size_t length = contractionOfAnyCase(text.substr(place)))
        return place + length;
    if (const std::size_t end = endOfLetters(text, place); end > place)
        return end;
    if (isNumber(text[place]))
        return place + 1;
    if (const std::size_t end = endOfOthers(text, place); end > place)
        return end;
    return endOfSpace(text, place);
}

Words qwen2Words(Text text)
{
    Words words;
    for (std::size_t place = 0; place < text.size();) {
        const std::size_t end = endOfQwen2Word(text, place);
        words.push_back(text.substr(place, end - place));
        place = end;
    }
    return words;
}

}  // namespace

const WordRules& clipWordRules()
{
    static const WordRules rules {normalizedForClip, clipWords, "</w>"};
    return rules;
}

const WordRules& qwen2WordRules()
{
    static const WordRules rules {composed, qwen2Words, ""};
    return rules;
}

}  // namespace engine

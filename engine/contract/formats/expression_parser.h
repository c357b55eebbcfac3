// Parses regular expressions. RegularExpression matches them.
#pragma once
#include <bitset>
#include <cstddef>
#include <string_view>
#include <vector>

namespace contract {

/// A nondeterministic automaton over bytes, which accepts the texts that a regular expression matches.
struct ExpressionAutomaton {
    enum class Kind { Character, Fork, Begin, End, WordEdge, NoWordEdge, Ahead, NotAhead, Accept };
    struct State {
        Kind kind = Kind::Accept;
        std::size_t next = 0;
        std::size_t other = 0;        ///< Fork: the second way; Ahead and NotAhead: the state in which the inner expression starts
        std::bitset<256> characters;  ///< Character: those that lead to next
    };

    std::vector<State> states;
    std::size_t start = 0;  ///< index of a state, like next and other
};

/// @throws std::runtime_error saying what is wrong with @p pattern, see RegularExpression.
ExpressionAutomaton parseExpression(std::string_view pattern);

/// A character of \w: a letter or digit of ASCII, or an underscore.
bool isWordCharacter(char character);

}  // namespace contract

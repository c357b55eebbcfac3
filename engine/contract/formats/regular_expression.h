// Regular expressions of a user, matched in a time that grows only linearly with the text; with look-ahead, within a limit.
//
// std::regex and PCRE try one way after the other: "(.*)*x" takes them for ever. Here all ways are followed at once (Thompson's
// construction), which is possible because groups are not captured. RE2 does the same, but has no look-ahead, which
// target_modules of PEFT's adapters use, and would be a library that atelier-worker needs wherever it runs.
#pragma once
#include "engine/contract/formats/expression_parser.h"

#include <cstddef>
#include <string_view>

namespace contract {

class RegularExpression {
public:
    /// The syntax that ECMAScript and Python share: . [] \d \w \s \b ^ $ | * + ? {m,n} (and these followed by ?), groups, and
    /// look-ahead (?=…) and (?!…). A character is a byte.
    /// @throws std::runtime_error saying what is wrong, when @p pattern is not valid, uses look-behind or back-references, or is
    ///         too large: more than 1,000 bytes, or about 2,000 once its repetitions are written out.
    explicit RegularExpression(std::string_view pattern);

    /// Whether the expression matches the whole of @p text.
    /// @throws std::runtime_error when @p text is longer than 10,000 bytes, or when the expression has look-ahead that would have to
    ///         go through it for seconds
    bool matches(std::string_view text) const;

private:
    ExpressionAutomaton m_automaton;
};

}  // namespace contract

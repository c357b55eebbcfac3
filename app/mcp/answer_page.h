// The part of a command's document that an answer gives, so that no answer is more than an assistant can read.
#pragma once
#include "app/mcp/tools.h"

#include <cstddef>
#include <string>

namespace app {

constexpr std::size_t kLongestAnswer = 200'000;  ///< bytes

struct AnswerPage {
    std::string text;  ///< the document as JSON, in one line
    std::string note;  ///< what was left out, and how to ask for it; empty: nothing was
};

/// Takes from the list at most @p limit elements after the first @p offset, and fewer when they are long, but at least one. A text of
/// more than 2,000 bytes in it is shortened.
AnswerPage pageOf(Json document, const AnswerList& list, std::size_t limit, std::size_t offset);

}  // namespace app

// The sentences in which launcher, engine and storage speak English, as far as the window translates them.
#pragma once
#include <span>

namespace ui {

/// %1 to %4 stand for what differs: "Rank %1 %2 at step %3". That may be a sentence or a part of one, too.
std::span<const char* const> runSentences();
std::span<const char* const> experimentSentences();
std::span<const char* const> fileSentences();

}  // namespace ui

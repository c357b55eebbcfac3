// Translates what other parts of Atelier say, which know no language but English: files and terminals get it as it is.
#pragma once
#include <QString>

#include <string_view>

namespace ui {

/// What launcher, engine or storage say, in the window's language: "Rank 1 was killed (signal 9) after step 60". What is not among
/// outside_sentences.h, such as a library's error message, stays as it is. May be called on any thread.
QString translatedSentence(std::string_view english);

/// A text that has no parts which differ: an option's label, help or unit, what its group or a choice is called, what a ready
/// experiment is about.
QString translatedText(std::string_view english);

}  // namespace ui

// The words in which the launch form speaks of options: labels in place of TOML keys.
#pragma once
#include "engine/contract/experiment/options.h"

#include <QString>

#include <string_view>

namespace ui {

/// @p text with each key of an option in it replaced by the option's label: "a multiple of model.heads" becomes "a multiple of
/// “Attention heads”".
QString withLabels(const QString& text);

/// @p text, the help of @p option, with each value that begins a clause replaced by its label: "auto uses CUDA" becomes "“Automatic” uses CUDA".
QString withChoiceLabels(const contract::Option& option, const QString& text);

/// A condition of Option::appliesTo as a sentence: "Only has an effect if “Schedule” is “Cosine” or “Linear”".
QString conditionSentence(std::string_view condition);

/// A value as the form shows it: "Cosine", "on", "0.001"; "(empty)" for an empty text.
QString valueWords(const contract::Option& option, const contract::OptionValue& value);

}  // namespace ui

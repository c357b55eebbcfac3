// The words in which the launch form speaks of options: labels in place of TOML keys.
#pragma once
#include <QString>

#include <string_view>

namespace ui {

/// @p text with each key of an option in it replaced by the option's label: "a multiple of model.heads" becomes "a multiple of
/// “Attention heads”".
QString withLabels(const QString& text);

/// A condition of Option::appliesTo as a sentence: "Only has an effect if “Schedule” is “Cosine” or “Linear”".
QString conditionSentence(std::string_view condition);

}  // namespace ui

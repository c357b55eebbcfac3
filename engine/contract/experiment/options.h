// Every option of an experiment, declared once. Parsing, validation, `atelier options`, the launch
// form and the manual all read this table.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace contract {

enum class OptionType { Boolean, Integer, Real, Text, Choice, FilePath, FolderPath };

/// Whether values of this type are paths. Values of other types may have paths in them, see hasPaths().
constexpr bool isPath(OptionType type) { return type == OptionType::FilePath || type == OptionType::FolderPath; }

/// Boolean → bool, Integer → int64, Real → double, the other types → std::string.
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

/// Another way to write a choice in an experiment file: "bfloat16" for bf16.
struct Spelling {
    std::string_view written;  ///< as it appears in the file
    std::string_view choice;   ///< the choice that it means
};

/// What the launch form calls a choice whose word in the file is not plain English.
struct ChoiceLabel {
    std::string_view choice;
    std::string_view label;
};

struct Option {
    std::string_view key;  ///< "group.name", as in the TOML file
    std::string_view label;  ///< a short name for the launch form, understood without that of its group: "Learning rate"
    OptionType type = OptionType::Text;
    OptionValue defaultValue;
    std::string_view help;  ///< one sentence, no full stop
    std::string_view unit = {};
    double minimum = -std::numeric_limits<double>::infinity();  ///< Integer and Real, inclusive
    double maximum = std::numeric_limits<double>::infinity();   ///< inclusive
    std::vector<std::string_view> choices = {};                 ///< Choice only
    std::vector<ChoiceLabel> choiceLabels = {};                 ///< of some of the choices; see choiceLabel()
    std::span<const Spelling> spellings = {};  ///< of choices; an integer value is compared by its digits
    /// "other.key=value|value": the option has an effect only when other.key has one of these values; of several conditions with &
    /// between them, when all are met. Empty: always.
    std::string_view appliesTo = {};
    bool isAdvanced = false;  ///< initially collapsed in the launch form

    std::string_view group() const { return key.substr(0, key.rfind('.')); }
    std::string_view name() const { return key.substr(key.rfind('.') + 1); }
};

/// All options; those of one group are adjacent, and an option stands before those that have an effect only with it.
std::span<const Option> options();

/// The heading of a group in the launch form: "Optimizer" for "optim". Empty for an unknown group.
std::string_view groupLabel(std::string_view group);

/// What the launch form calls @p choice: its label, or else the word itself with a capital: "Cosine" for "cosine".
std::string choiceLabel(const Option& option, std::string_view choice);

/// The conditions of Option::appliesTo, one by one.
std::vector<std::string_view> conditionsOf(const Option& option);

/// Whether @p condition, "other.key=value|value", is met when other.key has the value @p other.
bool isMet(std::string_view condition, std::string_view other);

/// nullptr when no option has that key.
const Option* findOption(std::string_view key);

/// The declared key closest to @p key by edit distance, or the one that other programs call so; empty when none is close.
std::string_view nearestKey(std::string_view key);

/// The value as text, such as "true", "3", "0.0001" or "text". Experiment::setText() restores numbers from it bit for bit.
std::string toText(const OptionValue& value);

/// The allowed values, such as "true or false", "an integer from 1 to 64" or "one of: cosine, constant": for messages,
/// `atelier options` and tooltips.
std::string describeRange(const Option& option);

}  // namespace contract

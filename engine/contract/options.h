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

/// Whether its values are paths, which an experiment file may give relative to itself.
constexpr bool isPath(OptionType type) { return type == OptionType::FilePath || type == OptionType::FolderPath; }

/// Boolean → bool, Integer → int64, Real → double, the other types → std::string.
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

/// Another way to write a choice in an experiment file: "bfloat16" for bf16.
struct Spelling {
    std::string_view written, choice;
};

struct Option {
    std::string_view key;  ///< "group.name", as in the TOML file
    OptionType type = OptionType::Text;
    OptionValue defaultValue;
    std::string_view help;  ///< one sentence, no full stop
    std::string_view unit = {};
    double minimum = -std::numeric_limits<double>::infinity();  ///< Integer and Real, inclusive
    double maximum = std::numeric_limits<double>::infinity();   ///< inclusive
    std::vector<std::string_view> choices = {};                 ///< Choice only
    std::span<const Spelling> spellings = {};                   ///< of choices; an integer is read as its digits
    /// "other.key=value|value": the option has an effect only then. Empty: always.
    std::string_view appliesTo = {};
    bool isAdvanced = false;  ///< folded away in the form at first

    std::string_view group() const { return key.substr(0, key.rfind('.')); }
    std::string_view name() const { return key.substr(key.rfind('.') + 1); }
};

/// All options; those of one group follow each other.
std::span<const Option> options();

/// Whether @p option has an effect when the option that its appliesTo names has the value @p other.
bool appliesWith(const Option& option, std::string_view other);

/// nullptr when no option has that key.
const Option* findOption(std::string_view key);

/// The declared key closest to @p key by edit distance, or empty when none is close.
std::string_view nearestKey(std::string_view key);

/// "true", "3", "0.0001", "text": what `--set key=` accepts back, bit for bit for numbers.
std::string toText(const OptionValue& value);

/// "boolean", "integer 1 … 64", "one of: cosine, constant": for messages, `atelier options` and tooltips.
std::string describeRange(const Option& option);

}  // namespace contract

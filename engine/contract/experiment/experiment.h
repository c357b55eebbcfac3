// An experiment: a value for every declared option, read from and written to TOML.
#pragma once
#include "engine/contract/experiment/options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// An error in an experiment, as one sentence that names the key and what to do.
struct Problem {
    std::string key;      ///< empty when the problem concerns the whole file
    std::string message;  ///< "optim.lr = -1: must be a number of at least 0"
    int line = 0;         ///< 1-based line in the file; 0 when unknown
};

/// Whether values of @p option have paths, which an experiment file may give relative to its own folder.
bool hasPaths(const Option& option);

/// @p value of an option that hasPaths(), with relative paths resolved against @p folder.
std::string withAbsolutePaths(const Option& option, const std::string& value, const std::filesystem::path& folder);

class Experiment {
public:
    /// Every option has its default value.
    Experiment();

    /// These throw std::logic_error for a key that is not declared or has another type (a programming error).
    bool boolean(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    double real(std::string_view key) const;
    const std::string& text(std::string_view key) const;
    const OptionValue& value(std::string_view key) const;

    bool isChanged(std::string_view key) const;  ///< differs from the default

    /// Sets a value of the option's own type, or an integer for a Real or a Choice.
    /// @return the problem with key or value, if any; the experiment is then unchanged.
    std::optional<Problem> set(std::string_view key, const OptionValue& value);

    /// Like set(), with the value as text, as in `--set optim.lr=1e-4`.
    std::optional<Problem> setText(std::string_view key, std::string_view text);

    void reset(std::string_view key);  ///< back to the default

    /// Checks rules that span several options, and that required files exist. Empty when the experiment can start.
    std::vector<Problem> validate() const;

    enum class Write { Everything, ChangedOnly };
    /// TOML; reading it back gives an equal experiment.
    std::string toToml(Write what) const;

    bool operator==(const Experiment&) const = default;

private:
    std::size_t indexOf(std::string_view key) const;
    std::vector<OptionValue> m_values;  ///< parallel to options()
};

/// The options whose values differ, in the order of options().
std::vector<const Option*> differingOptions(const Experiment& one, const Experiment& other);

struct ParsedExperiment {
    Experiment experiment;  ///< holds every value that was valid
    std::vector<Problem> problems;
    bool isReadable = true;  ///< false: the text is not TOML, or there was none, so no value could be read
};

/// Reads TOML. Relative paths are resolved against @p baseFolder.
/// Reports all problems together: syntax, unknown keys (with the nearest known key), keys of other engines that are not
/// supported (with the reason), types and ranges.
ParsedExperiment parseExperiment(std::string_view toml, const std::filesystem::path& baseFolder);

/// Like parseExperiment(), from a file. A file that cannot be read is reported as a problem.
ParsedExperiment loadExperiment(const std::filesystem::path& file);

}  // namespace contract

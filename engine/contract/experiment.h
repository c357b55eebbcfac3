// An experiment: a value for every declared option. Read from TOML, written back as TOML.
#pragma once
#include "engine/contract/options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Something wrong with an experiment, in one sentence that names the key and what to do.
struct Problem {
    std::string key;      ///< empty when it concerns the whole file
    std::string message;  ///< "optim.lr = -1: must be a number of at least 0"
    int line = 0;         ///< 1-based line of the file; 0 when there is none
};

class Experiment {
public:
    /// All defaults.
    Experiment();

    /// These throw std::logic_error for a key that is not declared or of another type: our own bug.
    bool boolean(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    double real(std::string_view key) const;
    const std::string& text(std::string_view key) const;
    const OptionValue& value(std::string_view key) const;

    bool isChanged(std::string_view key) const;  ///< differs from the default

    /// Sets a value of the option's own type, or an integer for a Real.
    /// @return what is wrong with key or value; the experiment is then unchanged.
    std::optional<Problem> set(std::string_view key, const OptionValue& value);

    /// The same from text, as in `--set optim.lr=1e-4`.
    std::optional<Problem> setText(std::string_view key, std::string_view text);

    void reset(std::string_view key);  ///< back to the default

    /// Rules that span options, and files that must exist. Empty: ready to start.
    std::vector<Problem> validate() const;

    enum class Write { Everything, ChangedOnly };
    /// TOML; reading it back gives an equal experiment.
    std::string toToml(Write what) const;

    bool operator==(const Experiment&) const = default;

private:
    std::size_t indexOf(std::string_view key) const;
    std::vector<OptionValue> m_values;  ///< parallel to options()
};

struct ParsedExperiment {
    Experiment experiment;  ///< with every value that was right
    std::vector<Problem> problems;
};

/// Reads TOML. Relative paths are resolved against @p baseFolder.
/// All problems are reported together: syntax, unknown keys (with the nearest known one), types, ranges.
ParsedExperiment parseExperiment(std::string_view toml, const std::filesystem::path& baseFolder);

/// The same from a file; a file that cannot be read is a problem too.
ParsedExperiment loadExperiment(const std::filesystem::path& file);

}  // namespace contract

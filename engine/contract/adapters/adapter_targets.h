// The selection of a model's linear layers that get an adapter (row E-091).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// A rule that selects layers by their path, from PEFT's target_modules or from the option lora.targets.
class AdapterTargets {
public:
    /// Selects nothing; the default for exclusions.
    AdapterTargets() = default;
    /// "all-linear" (in any case), or a RegularExpression that must match a module's whole path.
    /// @throws std::runtime_error quoting @p text when it is not a valid regular expression or is too large.
    static AdapterTargets ofText(std::string_view text);
    /// The value of the options lora.targets and lora.exclude: as ofText() when it is "all-linear" or has a character that is
    /// special in regular expressions, else a comma-separated list as for ofList(). @throws as ofText()
    static AdapterTargets ofOption(const std::string& text);
    /// Whole paths, or ends of paths that begin after a dot: "to_q", "attn.to_out.0".
    static AdapterTargets ofList(std::vector<std::string> names);

    bool isAllLinear() const { return m_kind == Kind::AllLinear; }
    std::string text() const;  ///< for messages

    /// The selected ones of @p modules (paths of linear layers), in their order. @throws std::runtime_error quoting a regular
    /// expression that takes too long.
    std::vector<std::string> matching(const std::vector<std::string>& modules) const;

private:
    enum class Kind { AllLinear, Pattern, List };

    Kind m_kind = Kind::List;
    std::string m_pattern;
    std::vector<std::string> m_names;
};

/// The modules that @p targets selects and @p excluded does not.
/// @param modules paths of a model's linear layers
/// @throws std::runtime_error quoting both rules when no module is left.
std::vector<std::string> matchedModules(
    const std::vector<std::string>& modules, const AdapterTargets& targets, const AdapterTargets& excluded);

/// The shortest ends of paths that select @p matched and no other module, sorted, for the target_modules of an adapter's
/// configuration. None begins with a number, which other layers could have as well.
/// @param others paths of all other modules, of any kind
std::vector<std::string> shortestTargets(const std::vector<std::string>& matched, const std::vector<std::string>& others);

}  // namespace contract

// Which linear layers of a model an adapter is put on (row E-091).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace contract {

class AdapterTargets {
public:
    /// Nothing at all, as for modules to be left out.
    AdapterTargets() = default;
    /// "all-linear", in capitals or not, or a regular expression (ECMAScript) that a module's whole path must fit.
    /// @throws std::runtime_error quoting it when it is no regular expression, or one that is too costly to try.
    static AdapterTargets ofText(std::string_view text);
    /// Paths, or ends of paths that begin after a dot: "to_q", "attn.to_out.0".
    static AdapterTargets ofList(std::vector<std::string> names);

    bool isAllLinear() const { return m_kind == Kind::AllLinear; }
    std::string text() const;  ///< for messages

    /// Those of @p modules, paths of linear layers, that it means, in their order.
    std::vector<std::string> among(const std::vector<std::string>& modules) const;

private:
    enum class Kind { AllLinear, Pattern, List };

    Kind m_kind = Kind::List;
    std::string m_pattern;
    std::vector<std::string> m_names;
};

/// What @p targets mean without what @p excluded means.
/// @param modules paths of a model's linear layers
/// @throws std::runtime_error quoting the request when nothing is left.
std::vector<std::string> matchedModules(
    const std::vector<std::string>& modules, const AdapterTargets& targets, const AdapterTargets& excluded);

/// Ends of paths that mean @p matched and no other module, as short as can be, in order: what an adapter's configuration
/// lists. None begins with a number, which other layers could have as well.
/// @param others paths of all other modules, of whatever kind
std::vector<std::string> shortestTargets(const std::vector<std::string>& matched, const std::vector<std::string>& others);

}  // namespace contract

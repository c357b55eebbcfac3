// One case of goldens/algorithms: what goes in, and what the reference implementation got out, with tolerances.
#pragma once
#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tests {

/// Inputs are read by name; results are handed in with check…(), and problems() says in the end what was wrong or missing.
class GoldenCase {
public:
    /// @param json the case's .json; its tensors lie in the .safetensors beside it
    explicit GoldenCase(const std::filesystem::path& json);

    const std::string& name() const { return m_name; }
    std::string op() const { return m_json.at("op"); }
    const nlohmann::json& config() const { return m_json.at("config"); }
    /// The key's value in config(); @p otherwise when it is absent or null.
    template <typename T>
    T option(const char* key, T otherwise) const
    {
        const auto found = config().find(key);
        return found == config().end() || found->is_null() ? otherwise : found->get<T>();
    }

    const at::Tensor& input(const std::string& name) const { return m_tensors.at("in." + name); }
    bool hasInput(const std::string& name) const { return m_tensors.contains("in." + name); }
    std::vector<std::string> inputs() const;  ///< names without "in.", in order
    bool hasOutput(const std::string& name) const { return m_json.at("outputs").contains("out." + name); }
    /// The reference's own result, for a case whose later steps start from it.
    const at::Tensor& output(const std::string& name) const { return m_tensors.at("out." + name); }

    /// The input as a leaf that collects its gradient: the same tensor at each call.
    at::Tensor leaf(const std::string& name);

    void check(const std::string& output, const at::Tensor& actual);
    void check(const std::string& output, double actual);
    void checkGradient(const std::string& input, const at::Tensor& actual);
    /// Differentiates @p loss and checks the gradient of every input that the case has one for, and that none reaches those which
    /// the case says to get none. All of these inputs must have come from leaf().
    void checkGradients(const at::Tensor& loss);
    /// Checks every metric that the case expects. @p actual may have more.
    void checkMetrics(const std::map<std::string, double>& actual);
    void checkMetrics(const std::map<std::string, at::Tensor>& actual);

    /// Takes a result out of what must be checked, as ours differs on purpose. @param name as the json has it: "out.x", "grad.x", or a metric
    void leave(const std::string& name);

    /// One sentence for each result that differs, or that nothing was compared with.
    std::vector<std::string> problems() const;

private:
    /// @param name as the json has it
    void compare(const std::string& name, const nlohmann::json& entry, const at::Tensor& expected, const at::Tensor& actual);

    std::string m_name;
    nlohmann::ordered_json m_order;
    nlohmann::json m_json;
    std::map<std::string, at::Tensor> m_tensors;
    std::map<std::string, at::Tensor> m_leaves;
    std::map<std::string, bool> m_isChecked;
    std::vector<std::string> m_problems;
};

/// All cases of a folder ("algorithms"), of $ATELIER_GOLDENS or else of this tree; empty when there is none.
std::vector<std::filesystem::path> goldenCases(const std::string& folder);

}  // namespace tests

// One case of tests/goldens: what goes in and what the reference implementation got out, with tolerances.
#pragma once
#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tests {

class GoldenCase {
public:
    /// @param json the case's .json; its tensors lie in the .safetensors beside it.
    explicit GoldenCase(const std::filesystem::path& json);

    const std::string& name() const { return m_name; }
    std::string op() const { return m_json.at("op"); }
    const nlohmann::json& config() const { return m_json.at("config"); }

    const at::Tensor& input(const std::string& name) const { return m_tensors.at("in." + name); }
    std::vector<std::string> inputs() const;  ///< names without "in.", in order

    /// @return empty, or what is wrong with @p actual as the output of that name.
    std::string check(const std::string& output, const at::Tensor& actual);
    std::string leave(const std::string& output);  ///< of no use to us. @return empty
    bool hasOutput(const std::string& output) const { return m_json.at("outputs").contains("out." + output); }

    /// Outputs that no check asked for.
    std::vector<std::string> unchecked() const;

private:
    std::string m_name;
    nlohmann::ordered_json m_order;
    nlohmann::json m_json;
    std::map<std::string, at::Tensor> m_tensors;
    std::map<std::string, bool> m_checked;
};

/// All cases of a folder ("algorithms"), of $ATELIER_GOLDENS or else of this tree; empty when there is none.
std::vector<std::filesystem::path> goldenCases(const std::string& folder);

}  // namespace tests

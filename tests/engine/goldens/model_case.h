// One case of tests/goldens/models: a small model, what goes in, and what the public libraries got out.
#pragma once
#include "tests/engine/goldens/golden_folders.h"
#include "tests/engine/test_device.h"

#include <ATen/core/Tensor.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tests {

class ModelCase {
public:
    /// @param folder with case.json @param device where the tensors are. The GPU must not be used before ranks are forked.
    explicit ModelCase(const std::filesystem::path& folder, c10::Device device = tests::device());

    std::string name() const { return m_folder.filename(); }
    std::string className() const { return m_json.at("class"); }
    const nlohmann::json& json() const { return m_json; }
    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path modelFolder() const { return m_folder / m_json.at("model").get<std::string>(); }

    bool hasInput(const std::string& name) const { return m_inputs.contains(name); }
    const at::Tensor& input(const std::string& name) const { return m_inputs.at(name); }

    std::vector<std::string> expected() const;  ///< names
    bool expects(const std::string& name) const { return m_expected.contains(name); }
    const at::Tensor& expectedTensor(const std::string& name) const { return m_expected.at(name); }

    /// @return empty, or what is wrong with @p actual as the output of that name; the case's tolerances for gradients where
    ///         the name begins with "grad", otherwise for what comes forward.
    std::string check(const std::string& name, const at::Tensor& actual);

    /// From now on forward outputs, and this gradient, may be off by so many times what the case allows.
    void widen(double factor, const std::string& gradient)
    {
        m_wider = factor;
        m_widerGradient = gradient;
    }

    std::vector<std::string> unchecked() const;  ///< what no check asked for

private:
    std::filesystem::path m_folder;
    nlohmann::json m_json;
    std::map<std::string, at::Tensor> m_inputs, m_expected;
    std::map<std::string, bool> m_checked;
    double m_wider = 1;
    std::string m_widerGradient;
};

/// What a safetensors file holds, or all of a folder.
std::map<std::string, at::Tensor> tensorsOf(const std::filesystem::path& file);

}  // namespace tests

#include "tests/engine/goldens/model_case.h"

#include "engine/contract/formats/json_config.h"
#include "engine/weights/weights_source.h"

#include <ATen/TensorOperators.h>

namespace tests {
namespace {

namespace fs = std::filesystem;

struct Tolerance {
    double rtol = 0, atol = 0;
};

/// Of a whole pipeline's results, each has its own.
Tolerance pipelineTolerance(const nlohmann::json& stated, const std::string& name)
{
    if (name.ends_with("_mask") || name.ends_with("_ids"))
        return {};
    const bool isOfSchedule = name == "sigmas" || name == "timesteps";
    const std::string key = name.ends_with("prompt_embeds") ? "prompt_embeds"
        : name.ends_with("latents")                         ? "step_latents"
        : isOfSchedule                                      ? "sigmas"
                                                            : name;
    return {stated.at(key).at("rtol"), stated.at(key).at("atol")};
}

Tolerance toleranceOf(const nlohmann::json& stated, const std::string& name, const at::Tensor& expected)
{
    if (stated.contains("step_latents"))
        return pipelineTolerance(stated, name);
    if (!name.starts_with("grad"))
        return {stated.at("forward").at("rtol"), stated.at("forward").at("atol")};
    const auto& gradient = stated.at("gradient");
    const double largest = expected.numel() > 0 ? expected.abs().max().item<double>() : 0;
    return {gradient.at("rtol"), gradient.at("atol_times_max_abs").get<double>() * largest};
}

}  // namespace

std::map<std::string, at::Tensor> tensorsOf(const fs::path& file)
{
    const engine::WeightsSource source {contract::SafetensorsSet(file)};
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : source.names())
        tensors[name] = source.view(name).clone();
    return tensors;
}

namespace {

std::map<std::string, at::Tensor> movedTo(c10::Device device, std::map<std::string, at::Tensor> tensors)
{
    for (auto& [name, tensor] : tensors)
        tensor = tensor.to(device);
    return tensors;
}

}  // namespace

ModelCase::ModelCase(const fs::path& folder, c10::Device device)
    : m_folder(folder)
    , m_json(contract::readJson(folder / "case.json"))
    , m_inputs(movedTo(device, tensorsOf(folder / "inputs.safetensors")))
    , m_expected(movedTo(device, tensorsOf(folder / "expected.safetensors")))
{
}

std::vector<std::string> ModelCase::expected() const
{
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_expected)
        names.push_back(name);
    return names;
}

std::string ModelCase::check(const std::string& name, const at::Tensor& actual)
{
    const auto found = m_expected.find(name);
    if (found == m_expected.end())
        return this->name() + ": expects no " + name;
    m_checked[name] = true;
    if (!actual.defined())
        return this->name() + ": " + name + " was not computed";
    const at::Tensor expected = found->second.to(at::kDouble), got = actual.detach().to(expected.device(), at::kDouble);
    if (got.sizes() != expected.sizes())
        return this->name() + ": " + name + " has another shape";
    Tolerance allowed = toleranceOf(m_json.at("tolerance"), name, expected);
    if (!name.starts_with("grad") || name == m_widerGradient)
        allowed = {allowed.rtol * m_wider, allowed.atol * m_wider};
    const at::Tensor excess = (got - expected).abs() - allowed.atol - allowed.rtol * expected.abs();
    const double worst = excess.numel() > 0 ? excess.max().item<double>() : 0;
    if (worst <= 0)
        return {};
    return this->name() + ": " + name + " is off by " + std::to_string(worst) + " more than allowed";  // or not a number
}

std::vector<std::string> ModelCase::unchecked() const
{
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_expected) {
        if (!m_checked.contains(name))
            names.push_back(name);
    }
    return names;
}

}  // namespace tests

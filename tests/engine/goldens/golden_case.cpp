#include "tests/engine/goldens/golden_case.h"

#include "tests/engine/goldens/golden_folders.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace tests {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(path.string() + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, at::Tensor> readTensors(const fs::path& path)
{
    const std::string bytes = contents(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    std::map<std::string, at::Tensor> tensors;
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__")
            continue;
        const auto dtype = entry.at("dtype") == "F32" ? at::kFloat : at::kLong;
        const at::Tensor tensor = at::empty(entry.at("shape").get<std::vector<std::int64_t>>(), dtype);
        const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
        std::memcpy(tensor.data_ptr(), bytes.data() + 8 + length + begin, tensor.nbytes());
        tensors[name] = tensor;
    }
    return tensors;
}

}  // namespace

GoldenCase::GoldenCase(const fs::path& json)
    : m_name(json.stem())
    , m_order(nlohmann::ordered_json::parse(contents(json)))
    , m_json(m_order)
    , m_tensors(readTensors(fs::path(json).replace_extension(".safetensors")))
{
    for (const char* part : {"outputs", "grads", "metrics"}) {
        for (const auto& [name, entry] : m_json.at(part).items())
            m_isChecked[name] = false;
    }
}

std::vector<std::string> GoldenCase::inputs() const
{
    std::vector<std::string> names;
    for (const auto& [name, entry] : m_order.at("inputs").items())
        names.push_back(name.substr(3));
    return names;
}

at::Tensor GoldenCase::leaf(const std::string& name)
{
    at::Tensor& leaf = m_leaves[name];
    if (!leaf.defined())
        leaf = input(name).clone().requires_grad_();
    return leaf;
}

void GoldenCase::check(const std::string& output, const at::Tensor& actual)
{
    const std::string name = "out." + output;
    compare(name, m_json.at("outputs").at(name), m_tensors.at(name), actual);
}

void GoldenCase::check(const std::string& output, double actual) { check(output, at::scalar_tensor(actual, at::kDouble)); }

void GoldenCase::checkGradient(const std::string& input, const at::Tensor& actual)
{
    const std::string name = "grad." + input;
    compare(name, m_json.at("grads").at(name), m_tensors.at(name), actual);
}

void GoldenCase::checkGradients(const at::Tensor& loss)
{
    loss.backward();
    const auto gradientOf = [&](const std::string& input) {
        const auto found = m_leaves.find(input);
        if (found == m_leaves.end())
            throw std::logic_error(m_name + ": in." + input + " was not taken from leaf()");
        return found->second.grad();
    };
    for (const auto& [name, entry] : m_json.at("grads").items()) {
        const std::string input = name.substr(5);
        const at::Tensor gradient = gradientOf(input);
        checkGradient(input, gradient.defined() ? gradient : at::zeros_like(m_leaves.at(input)));
    }
    for (const std::string name : m_json.value("no_grad_inputs", nlohmann::json::array())) {
        if (const at::Tensor gradient = gradientOf(name.substr(3)); gradient.defined() && gradient.count_nonzero().item<std::int64_t>() > 0)
            m_problems.push_back(m_name + ": a gradient reaches " + name);
    }
}

void GoldenCase::checkMetrics(const std::map<std::string, double>& actual)
{
    for (const auto& [name, entry] : m_json.at("metrics").items()) {
        const auto found = actual.find(name);
        if (found == actual.end() || m_isChecked.at(name))
            continue;
        const auto& value = entry.at("value");
        const double expected = value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
        compare(name, entry, at::scalar_tensor(expected, at::kDouble), at::scalar_tensor(found->second, at::kDouble));
    }
}

void GoldenCase::checkMetrics(const std::map<std::string, at::Tensor>& actual)
{
    std::map<std::string, double> numbers;
    for (const auto& [name, value] : actual)
        numbers[name] = value.item<double>();
    checkMetrics(numbers);
}

void GoldenCase::leave(const std::string& name) { m_isChecked.at(name) = true; }

void GoldenCase::compare(const std::string& name, const nlohmann::json& entry, const at::Tensor& expected, const at::Tensor& actual)
{
    m_isChecked.at(name) = true;
    const auto report = [&](const std::string& what) { m_problems.push_back(m_name + ": " + name + " " + what); };
    if (actual.sizes() != expected.sizes()) {
        std::ostringstream shapes;
        shapes << "has the shape " << actual.sizes() << " instead of " << expected.sizes();
        return report(shapes.str());
    }
    const at::Tensor got = actual.detach().to(at::kDouble), wanted = expected.to(at::kDouble);
    const at::Tensor finite = wanted.isfinite();
    if (!at::equal(got.masked_select(~finite).nan_to_num(1e300), wanted.masked_select(~finite).nan_to_num(1e300)))
        return report("differs where it is not finite");
    const double rtol = entry.value("rtol", 0.0), atol = entry.value("atol", 0.0);
    const at::Tensor error = (got - wanted).abs().masked_select(finite);
    const at::Tensor limit = (wanted.abs() * rtol + atol).masked_select(finite);
    if ((error <= limit).all().item<bool>())
        return;
    const std::int64_t worst = (error - limit).nan_to_num(std::numeric_limits<double>::infinity()).argmax().item<std::int64_t>();
    std::ostringstream text;
    text.precision(9);
    text << "is " << got.masked_select(finite)[worst].item<double>() << " instead of " << wanted.masked_select(finite)[worst].item<double>()
         << " (allowed: +-" << limit[worst].item<double>() << ") at finite element " << worst;
    report(text.str());
}

std::vector<std::string> GoldenCase::problems() const
{
    std::vector<std::string> problems = m_problems;
    for (const auto& [name, isChecked] : m_isChecked) {
        if (!isChecked)
            problems.push_back(m_name + ": nothing computes " + name);
    }
    return problems;
}

std::vector<fs::path> goldenCases(const std::string& folder)
{
    const fs::path root = goldensFolder(folder);
    std::vector<fs::path> cases;
    if (!fs::exists(root))
        return cases;
    for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.path().extension() == ".json")
            cases.push_back(entry.path());
    }
    std::ranges::sort(cases);
    return cases;
}

}  // namespace tests

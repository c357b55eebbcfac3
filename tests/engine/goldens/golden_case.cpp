#include "tests/engine/goldens/golden_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

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
    for (const auto& [name, entry] : m_json.at("outputs").items())
        m_checked[name] = false;
}

std::vector<std::string> GoldenCase::inputs() const
{
    std::vector<std::string> names;
    for (const auto& [name, entry] : m_order.at("inputs").items())
        names.push_back(name.substr(3));
    return names;
}

std::string GoldenCase::check(const std::string& output, const at::Tensor& actual)
{
    const std::string name = "out." + output;
    m_checked.at(name) = true;
    const auto& entry = m_json.at("outputs").at(name);
    const at::Tensor expected = m_tensors.at(name).to(at::kDouble);
    if (actual.sizes() != expected.sizes())
        return m_name + ": " + name + " has another shape";
    const at::Tensor got = actual.to(at::kDouble);
    const at::Tensor finite = expected.isfinite();
    if (!at::equal(got.masked_select(~finite).nan_to_num(1e300), expected.masked_select(~finite).nan_to_num(1e300)))
        return m_name + ": " + name + " differs where it is not finite";
    const double rtol = entry.value("rtol", 0.0), atol = entry.value("atol", 0.0);
    const at::Tensor excess = ((got - expected).abs() - atol - rtol * expected.abs()).masked_select(finite);
    const double worst = excess.numel() > 0 ? excess.max().item<double>() : 0;
    return worst <= 0 ? std::string() : m_name + ": " + name + " is off by " + std::to_string(worst) + " more than allowed";
}

std::string GoldenCase::leave(const std::string& output)
{
    m_checked.at("out." + output) = true;
    return {};
}

std::vector<std::string> GoldenCase::unchecked() const
{
    std::vector<std::string> names;
    for (const auto& [name, isChecked] : m_checked) {
        if (!isChecked)
            names.push_back(name);
    }
    return names;
}

std::vector<fs::path> goldenCases(const std::string& folder)
{
    const char* elsewhere = std::getenv("ATELIER_GOLDENS");
    const fs::path root = (elsewhere ? fs::path(elsewhere) : fs::path(ATELIER_SOURCE_DIR "/tests/goldens")) / folder;
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

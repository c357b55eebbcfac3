#include "engine/rewards/script_reward.h"

#include "engine/comm/errors.h"
#include "engine/comm/loaded_module.h"
#include "engine/contract/formats/text.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/script.h>

#include <utility>

namespace engine {
namespace {

EngineError failure(const std::filesystem::path& file, const std::string& clause)
{
    return {EngineError::Kind::Failure, "the reward model " + contract::inQuotes(file.string()) + " " + clause};
}

/// What @p error says. Of an exception in a script, whose traceback comes first, that is its last line.
std::string sentence(const std::exception& error)
{
    const std::string first = firstLine(error);
    if (!first.starts_with("The following operation failed in the TorchScript interpreter"))
        return first;
    std::string text = error.what();
    text.erase(text.find_last_not_of("\n ") + 1);
    return text.substr(text.rfind('\n') + 1);
}

/// Calls @p act, whose LibTorch errors become an EngineError: "the reward model FILE <clause>: <error>".
template <typename Act>
auto namingTheFile(const std::filesystem::path& file, const char* clause, const Act& act)
{
    try {
        return act();
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        throw failure(file, std::string(clause) + ": " + contract::escapedBytes(contract::shortened(sentence(error))));
    }
}

/// @p scores as [count] float32. @throws EngineError when they are not finite, or of another shape.
at::Tensor checkedScores(const at::Tensor& scores, std::int64_t count, const std::filesystem::path& file)
{
    const bool isColumn = scores.dim() == 2 && scores.size(1) == 1;
    if ((scores.dim() != 1 && !isColumn) || scores.size(0) != count) {
        std::string shape;
        for (const std::int64_t size : scores.sizes())
            shape += (shape.empty() ? "" : ", ") + std::to_string(size);
        throw failure(file, "returned a tensor of shape [" + shape + "] for " + std::to_string(count)
                + " images; it must return one score each");
    }
    at::Tensor result = scores.to(at::kCPU, at::kFloat).reshape({count});
    if (!result.isfinite().all().item<bool>())
        throw failure(file, "returned a score that is not finite");
    return result;
}

class ScriptReward final : public Reward {
public:
    ScriptReward(std::string name, std::filesystem::path file)
        : m_name(std::move(name))
        , m_file(std::move(file))
        , m_module(namingTheFile(m_file, "cannot be loaded", [&] { return torch::jit::load(m_file.string(), at::kCPU); }))
    {
        m_module.eval();
        const auto forward = m_module.find_method("forward");
        const std::size_t arguments = forward ? forward->num_inputs() - 1 : 0;  // the first one is the module
        if (arguments != 1 && arguments != 2)
            throw failure(m_file, "has no forward(images) or forward(images, prompts)");
        m_takesPrompts = arguments == 2;
    }

    const std::string& name() const override { return m_name; }

    at::Tensor scores(const RewardBatch& batch) override
    {
        const at::NoGradGuard noGrad;
        std::vector<c10::IValue> inputs = {batch.images};
        if (m_takesPrompts) {
            c10::List<std::string> prompts;
            for (const Prompt* prompt : batch.prompts)
                prompts.push_back(prompt->text);
            inputs.emplace_back(prompts);
        }
        const c10::IValue result = namingTheFile(m_file, "failed", [&] { return m_module.forward(std::move(inputs)); });
        if (!result.isTensor())
            throw failure(m_file, "returned something else than a tensor");
        return checkedScores(result.toTensor(), batch.images.size(0), m_file);
    }

private:
    std::string m_name;
    std::filesystem::path m_file;
    torch::jit::Module m_module;
    bool m_takesPrompts = false;
};

class PackageReward final : public Reward {
public:
    PackageReward(std::string name, std::filesystem::path file)
        : m_name(std::move(name))
        , m_file(std::move(file))
        , m_model(namingTheFile(m_file, "cannot be loaded", [&] { return load(m_file); }))
    {
    }

    const std::string& name() const override { return m_name; }

    at::Tensor scores(const RewardBatch& batch) override
    {
        const at::NoGradGuard noGrad;
        const auto results = namingTheFile(m_file, "failed", [&] { return m_model->run({batch.images.contiguous()}); });
        if (results.size() != 1)
            throw failure(m_file, "returned " + std::to_string(results.size()) + " tensors; it must return one");
        return checkedScores(results.front(), batch.images.size(0), m_file);
    }

private:
    using Loader = torch::inductor::AOTIModelPackageLoader;

    static std::unique_ptr<Loader> load(const std::filesystem::path& file)
    {
        loadedModule("libatelier_libtorch.so");  // see libtorch_name.cpp
        return std::make_unique<Loader>(file.string());
    }

    std::string m_name;
    std::filesystem::path m_file;
    std::unique_ptr<Loader> m_model;
};

}  // namespace

std::unique_ptr<Reward> loadScriptReward(const std::string& name, const std::filesystem::path& file)
{
    return std::make_unique<ScriptReward>(name, file);
}

std::unique_ptr<Reward> loadPackageReward(const std::string& name, const std::filesystem::path& file)
{
    return std::make_unique<PackageReward>(name, file);
}

}  // namespace engine

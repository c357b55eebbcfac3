#include "engine/rewards/script_reward.h"

#include "engine/comm/errors.h"
#include "engine/comm/loaded_module.h"
#include "engine/contract/formats/text.h"
#include "engine/rewards/reward_failure.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/script.h>

#include <utility>

namespace engine {
namespace {

/// Returns the message of @p error; of an exception in a script only the last line, which follows the traceback.
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
        throw rewardFailure(file, std::string(clause) + ": " + contract::escapedBytes(contract::shortened(sentence(error))));
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
        throw rewardFailure(file, "returned a tensor of shape [" + shape + "] for " + std::to_string(count)
                + " images; it must return one score each");
    }
    at::Tensor result = scores.to(at::kCPU, at::kFloat).reshape({count});
    if (!result.isfinite().all().item<bool>())
        throw rewardFailure(file, "returned a score that is not finite");
    return result;
}

/// The first and the second sample of each pair.
std::vector<at::Tensor> sidesOf(const at::Tensor& images, const std::vector<SamplePair>& pairs)
{
    std::vector<std::int64_t> first, second;
    for (const SamplePair& pair : pairs) {
        first.push_back(pair.first);
        second.push_back(pair.second);
    }
    return {images.index_select(0, at::tensor(first, at::kLong)), images.index_select(0, at::tensor(second, at::kLong))};
}

class ScriptReward final : public ComparingReward {
public:
    ScriptReward(std::string name, std::filesystem::path file, bool comparesPairs)
        : m_name(std::move(name))
        , m_file(std::move(file))
        , m_module(namingTheFile(m_file, "cannot be loaded", [&] { return torch::jit::load(m_file.string(), at::kCPU); }))
    {
        m_module.eval();
        const auto forward = m_module.find_method("forward");
        const std::size_t arguments = forward ? forward->num_inputs() - 1 : 0;  // the first one is the module
        const std::size_t images = comparesPairs ? 2 : 1;
        if (arguments != images && arguments != images + 1)
            throw rewardFailure(m_file, comparesPairs ? "has no forward(first, second) or forward(first, second, prompts)"
                                                : "has no forward(images) or forward(images, prompts)");
        m_takesPrompts = arguments == images + 1;
    }

    const std::string& name() const override { return m_name; }

    at::Tensor scores(const RewardBatch& batch) override { return run({batch.images}, batch.prompts); }

    at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) override
    {
        return run(sidesOf(batch.images, pairs), std::vector(pairs.size(), batch.prompts.front()));
    }

private:
    /// @param images [b, …] each @param prompts b of them @return [b]
    at::Tensor run(const std::vector<at::Tensor>& images, const std::vector<const Prompt*>& prompts)
    {
        const at::NoGradGuard noGrad;
        std::vector<c10::IValue> inputs(images.begin(), images.end());
        if (m_takesPrompts) {
            c10::List<std::string> texts;
            for (const Prompt* prompt : prompts)
                texts.push_back(prompt->text);
            inputs.emplace_back(texts);
        }
        const c10::IValue result = namingTheFile(m_file, "failed", [&] { return m_module.forward(std::move(inputs)); });
        if (!result.isTensor())
            throw rewardFailure(m_file, "returned something else than a tensor");
        return checkedScores(result.toTensor(), static_cast<std::int64_t>(prompts.size()), m_file);
    }

    std::string m_name;
    std::filesystem::path m_file;
    torch::jit::Module m_module;
    bool m_takesPrompts = false;
};

class PackageReward final : public ComparingReward {
public:
    PackageReward(std::string name, std::filesystem::path file)
        : m_name(std::move(name))
        , m_file(std::move(file))
        , m_model(namingTheFile(m_file, "cannot be loaded", [&] { return load(m_file); }))
    {
    }

    const std::string& name() const override { return m_name; }

    at::Tensor scores(const RewardBatch& batch) override { return run({batch.images.contiguous()}); }

    at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) override { return run(sidesOf(batch.images, pairs)); }

private:
    /// @param images [b, …] each @return [b]
    at::Tensor run(std::vector<at::Tensor> images)
    {
        const at::NoGradGuard noGrad;
        const std::int64_t count = images.front().size(0);
        const auto results = namingTheFile(m_file, "failed", [&] { return m_model->run(images); });
        if (results.size() != 1)
            throw rewardFailure(m_file, "returned " + std::to_string(results.size()) + " tensors; it must return one");
        return checkedScores(results.front(), count, m_file);
    }

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

std::unique_ptr<ComparingReward> loadScriptReward(const std::string& name, const std::filesystem::path& file, bool comparesPairs)
{
    return std::make_unique<ScriptReward>(name, file, comparesPairs);
}

std::unique_ptr<ComparingReward> loadPackageReward(const std::string& name, const std::filesystem::path& file)
{
    return std::make_unique<PackageReward>(name, file);
}

}  // namespace engine

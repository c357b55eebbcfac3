#include "engine/rewards/clip_reward.h"

#include "engine/comm/errors.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/formats/clip_folder.h"
#include "engine/contract/formats/text.h"
#include "engine/models/clip/clip_model.h"
#include "engine/rewards/reward_failure.h"
#include "engine/rewards/video_frames.h"
#include "engine/weights/weights_source.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

/// Calls @p act, whose errors become an EngineError that names the folder; but those of memory stay as they are.
template <typename Act>
auto namingTheFolder(const fs::path& folder, const Act& act)
{
    try {
        return act();
    } catch (const std::exception& error) {
        if (isOutOfMemory(error))
            throw;
        throw rewardFailure(folder, "cannot be used: " + contract::escapedBytes(firstLine(error)));
    }
}

class ClipReward : public Reward {
public:
    ClipReward(std::string name, fs::path folder, c10::Device device, Group* shards)
        : m_name(std::move(name))
        , m_folder(std::move(folder))
        , m_model(namingTheFolder(m_folder, [&] { return ClipModel(m_folder, device, shards); }))
    {
    }

    const std::string& name() const final { return m_name; }

    at::Tensor scores(const RewardBatch& batch) final
    {
        const at::NoGradGuard noGrad;
        const RewardBatch scored {evenlySpacedFrames(batch.images, kScoredFrames), batch.prompts};
        return meanOverFrames(scored, [&](const RewardBatch& images) {
            return namingTheFolder(m_folder, [&] { return computed(images).to(at::kCPU); });
        });
    }

    /// Scores a black image.
    void tryOut()
    {
        const Prompt empty;
        const std::int64_t side = m_model.imageEncoder().side();
        if (!scores({at::zeros({1, 3, side, side}), {&empty}}).isfinite().all().item<bool>())
            throw rewardFailure(m_folder, "gives a black image a score that is not finite; its weights are damaged");
    }

protected:
    const ClipModel& model() const { return m_model; }
    virtual at::Tensor computed(const RewardBatch& batch) const = 0;  ///< [b] float32 on the model's device

private:
    std::string m_name;
    fs::path m_folder;
    ClipModel m_model;
};

class FitReward final : public ClipReward {
public:
    using ClipReward::ClipReward;

private:
    at::Tensor computed(const RewardBatch& batch) const override
    {
        std::vector<std::string> prompts;  // those of one prompt are next to each other
        std::vector<std::int64_t> rows;    // of each image
        for (const Prompt* prompt : batch.prompts) {
            if (prompts.empty() || prompts.back() != prompt->text)
                prompts.push_back(prompt->text);
            rows.push_back(static_cast<std::int64_t>(prompts.size()) - 1);
        }
        const at::Tensor images = model().imageEmbeddings(batch.images);
        const at::Tensor texts = model().textEmbeddings(prompts).index_select(0, at::tensor(rows, at::kLong).to(images.device()));
        return (images * texts).sum(1) * model().logitScale();
    }
};

struct LinearLayer {
    at::Tensor weight;  ///< [out, in] float32
    at::Tensor bias;    ///< [out] float32
};

/// The layers in a head's file, by the numbers in their names; together they make one number of @p features.
std::vector<LinearLayer> layersOf(const fs::path& file, std::int64_t features, c10::Device device)
{
    const WeightsSource source {contract::SafetensorsSet(file)};
    std::map<long, LinearLayer> numbered;
    for (const std::string& name : source.names()) {
        const std::size_t digit = name.find_first_of("0123456789");
        LinearLayer& layer = numbered[digit == std::string::npos ? 0 : std::strtol(name.c_str() + digit, nullptr, 10)];
        at::Tensor& part = name.ends_with("weight") ? layer.weight : layer.bias;
        if ((!name.ends_with("weight") && !name.ends_with("bias")) || part.defined())
            throw std::runtime_error(file.string() + ": the tensor " + contract::inQuotes(contract::shortened(name))
                + " is not the only weight or bias of its number");
        part = source.tensor(name, at::kFloat, device);
    }
    std::vector<LinearLayer> layers;
    for (const auto& [number, layer] : numbered) {
        const bool fits = layer.weight.defined() && layer.bias.defined() && layer.weight.dim() == 2 && layer.weight.size(1) == features
            && layer.bias.sizes() == at::IntArrayRef(layer.weight.size(0));
        if (!fits)
            throw std::runtime_error(file.string() + ": layer " + std::to_string(number) + " must have a weight for "
                + std::to_string(features) + " features and a bias");
        features = layer.weight.size(0);
        layers.push_back(layer);
    }
    if (features != 1)
        throw std::runtime_error(file.string() + ": the last layer must give one number");
    return layers;
}

class AestheticReward final : public ClipReward {
public:
    AestheticReward(std::string name, const fs::path& folder, c10::Device device, Group* shards)
        : ClipReward(std::move(name), folder, device, shards)
        , m_layers(namingTheFolder(folder, [&] {
            return layersOf(contract::openClipFolder(folder).root / contract::kAestheticHead, model().features(), device);
        }))
    {
    }

private:
    at::Tensor computed(const RewardBatch& batch) const override
    {
        at::Tensor x = model().imageEmbeddings(batch.images);
        for (const LinearLayer& layer : m_layers)
            x = at::linear(x, layer.weight, layer.bias);
        return x.squeeze(1);
    }

    std::vector<LinearLayer> m_layers;
};

template <typename Kind>
std::unique_ptr<Reward> loaded(std::string name, fs::path folder, c10::Device device, Group* shards)
{
    auto reward = std::make_unique<Kind>(std::move(name), std::move(folder), device, shards);
    reward->tryOut();
    return reward;
}

}  // namespace

std::unique_ptr<Reward> loadClipReward(std::string name, fs::path folder, c10::Device device, Group* shards)
{
    return loaded<FitReward>(std::move(name), std::move(folder), device, shards);
}

std::unique_ptr<Reward> loadAestheticReward(std::string name, fs::path folder, c10::Device device, Group* shards)
{
    return loaded<AestheticReward>(std::move(name), std::move(folder), device, shards);
}

}  // namespace engine

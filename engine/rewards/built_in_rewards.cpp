#include "engine/rewards/built_in_rewards.h"

#include "engine/data/encode_jpeg.h"
#include "engine/rewards/video_frames.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace engine {
namespace {

/// @param images as in RewardBatch @return [b] float32
using Score = std::function<at::Tensor(const at::Tensor& images)>;

at::Tensor brightness(const at::Tensor& images) { return images.flatten(1).mean(1); }

/// @param channel 0 red, 1 green, 2 blue
Score colour(std::int64_t channel)
{
    return [channel](const at::Tensor& images) {
        const at::Tensor means = images.flatten(2).mean(2);  // [b, 3]
        const at::Tensor own = means.select(1, channel);
        return own - (means.sum(1) - own) / 2;
    };
}

/// @param image [3, H, W] in [0, 1]
Image pixelsOf(const at::Tensor& image)
{
    const at::Tensor bytes = (image * 255).round().clamp(0, 255).to(at::kByte).permute({1, 2, 0}).contiguous();
    const auto* first = bytes.const_data_ptr<std::uint8_t>();
    return {static_cast<int>(bytes.size(1)), static_cast<int>(bytes.size(0)), {first, first + bytes.numel()}};
}

/// @param sign of the size: -1 or 1
Score jpegSize(double sign)
{
    return [sign](const at::Tensor& images) {
        constexpr int kQuality = 95;
        std::vector<double> sizes;
        for (std::int64_t i = 0; i < images.size(0); ++i)
            sizes.push_back(sign * static_cast<double>(encodeJpeg(pixelsOf(images[i]), kQuality).size()) / 1000);
        return at::tensor(sizes, at::kFloat);
    };
}

const std::map<std::string, Score>& scores()
{
    static const std::map<std::string, Score> all = {{"blueness", colour(2)}, {"brightness", brightness}, {"greenness", colour(1)},
        {"jpeg_size", jpegSize(-1)}, {"jpeg_size_up", jpegSize(1)}, {"redness", colour(0)}};
    return all;
}

class BuiltInReward final : public Reward {
public:
    BuiltInReward(std::string name, Score score)
        : m_name(std::move(name))
        , m_score(std::move(score))
    {
    }
    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override
    {
        return meanOverFrames(batch, [&](const RewardBatch& images) { return m_score(images.images); });
    }

private:
    std::string m_name;
    Score m_score;
};

}  // namespace

std::vector<std::string> builtInRewardNames()
{
    std::vector<std::string> names;
    for (const auto& [name, score] : scores())
        names.push_back(name);
    return names;
}

std::unique_ptr<Reward> makeBuiltInReward(const std::string& name)
{
    const auto found = scores().find(name);
    return found == scores().end() ? nullptr : std::make_unique<BuiltInReward>(name, found->second);
}

}  // namespace engine

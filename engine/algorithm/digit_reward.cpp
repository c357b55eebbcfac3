#include "engine/algorithm/digit_reward.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace engine {

at::Tensor digitReward(const DigitJudge& judge, const at::Tensor& images, const at::Tensor& labels)
{
    constexpr double kAskedInk = 0.45, kTolerance = 0.06;
    const at::NoGradGuard noGrad;
    const at::Tensor shown = images.detach().to(at::kCPU, at::kFloat).clamp(-1, 1);
    const at::Tensor asked = labels.to(at::kCPU).unsqueeze(1);
    const at::Tensor distance = ((shown + 1) / 2).mean({1, 2, 3}).sub(kAskedInk).div(kTolerance);
    return judge.probabilities(shown).gather(1, asked).squeeze(1) * distance.square().neg().exp();
}

}  // namespace engine

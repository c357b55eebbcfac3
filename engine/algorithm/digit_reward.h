// The reward of the digits experiments: whether an image shows the asked digit, written with more ink than real digits have.
#pragma once
#include "engine/algorithm/digit_judge.h"

namespace engine {

/// Returns the probability that @p judge gives the asked digit, times exp(-((ink - 0.45) / 0.06)²), where ink is the mean of the
/// image in [0, 1]: real digits have 0.31 ± 0.03, so that a model trained on them scores low at first.
/// @param images [N, 1, 8, 8] in [-1, 1]; values outside count as the nearest bound
/// @param labels [N] int64, the asked digits
/// @return [N] float32 in [0, 1] on the CPU
at::Tensor digitReward(const DigitJudge& judge, const at::Tensor& images, const at::Tensor& labels);

}  // namespace engine

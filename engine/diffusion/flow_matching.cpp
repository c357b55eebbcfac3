#include "engine/diffusion/flow_matching.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/lerp.h>

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr char kUniforms[] = "sigma and dropout";  ///< stream of a row: its noise level, then whether its label is dropped

/// Cumulative distribution function of u.
double cumulative(double u, SigmaRule::Kind kind)
{
    return kind == SigmaRule::Kind::Uniform ? u : std::erfc(-std::log(u / (1 - u)) / std::sqrt(2.0)) / 2;
}

/// The quantile @p fraction of the distribution of u truncated to [low, high), by bisection.
double truncatedQuantile(double fraction, double low, double high, SigmaRule::Kind kind)
{
    const double first = cumulative(low, kind), target = first + fraction * (cumulative(high, kind) - first);
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2;
        (cumulative(middle, kind) <= target ? low : high) = middle;
    }
    return low;
}

float drawSigma(const SigmaRule& rule, std::uint64_t seed, std::uint64_t step, std::uint64_t row)
{
    const bool isUntruncated = rule.lowest <= 0 && rule.highest >= 1;
    const auto shift = static_cast<float>(rule.shift);
    const auto shifted = [shift](float u) { return shift * u / (1 + (shift - 1) * u); };
    float drawn = 0;
    if (isUntruncated && rule.kind == SigmaRule::Kind::LogitNormal) {
        fillNormal({&drawn, 1}, {.seed = seed, .purpose = "sigma", .step = step, .row = row});
        return shifted(1 / (1 + std::exp(-drawn)));
    }
    fillUniform({&drawn, 1}, {.seed = seed, .purpose = kUniforms, .step = step, .row = row});
    if (isUntruncated)
        return shifted(drawn);
    const auto unshifted = [&rule](double sigma) { return sigma / (rule.shift - (rule.shift - 1) * sigma); };
    const auto lowest = static_cast<float>(rule.lowest), highest = static_cast<float>(rule.highest);
    const double u = truncatedQuantile(drawn, unshifted(rule.lowest), unshifted(rule.highest), rule.kind);
    return std::clamp(shifted(static_cast<float>(u)), lowest, std::nextafter(highest, 0.0F));
}

}  // namespace

at::Tensor normalRows(const std::vector<std::uint64_t>& rows, at::IntArrayRef shape,
    std::uint64_t seed, std::string_view purpose, std::uint64_t step)
{
    std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(rows.size())};
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    const auto result = at::empty(sizes, at::kFloat);
    const std::size_t each = rows.empty() ? 0 : static_cast<std::size_t>(result.numel()) / rows.size();
    auto* out = result.data_ptr<float>();
    for (const std::uint64_t row : rows) {
        fillNormal({out, each}, {.seed = seed, .purpose = purpose, .step = step, .row = row});
        out += each;
    }
    return result;
}

NoisedRows noiseRows(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    const SigmaRule& rule)
{
    const at::Tensor noise = normalRows(rows, clean.sizes().slice(1), seed, "noise", step);
    const auto sigmas = at::empty({clean.size(0)}, at::kFloat);
    auto* sigma = sigmas.data_ptr<float>();
    for (const std::uint64_t row : rows)
        *sigma++ = drawSigma(rule, seed, step, row);
    std::vector<std::int64_t> perRow(static_cast<std::size_t>(clean.dim()), 1);
    perRow[0] = -1;
    return {at::lerp(clean, noise, sigmas.view(perRow)), noise - clean, sigmas};
}

FlowBatch noiseBatch(const at::Tensor& images, const at::Tensor& labels,
    const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    double labelDropout, std::int64_t nullLabel)
{
    FlowBatch batch {noiseRows(images, rows, seed, step, {}), labels.clone()};
    auto* label = batch.labels.data_ptr<std::int64_t>();
    for (const std::uint64_t row : rows) {
        float drawn = 0;
        fillUniform({&drawn, 1}, {.seed = seed, .purpose = kUniforms, .step = step, .row = row}, 1);
        if (drawn < labelDropout)
            *label = nullLabel;
        ++label;
    }
    return batch;
}

FlowLoss flowLoss(const at::Tensor& velocity, const at::Tensor& target, at::Tensor gradient, const at::Tensor& weights)
{
    const std::int64_t count = velocity.numel();
    const double scale = 2.0 / static_cast<double>(count);
    if (weights.defined() || !velocity.is_cpu()) {
        const at::Tensor error = velocity - target, weighted = weights.defined() ? error * weights : error;
        const at::Tensor mean = (weighted * error).mean();
        return velocity.is_cpu() ? FlowLoss {mean.item<double>(), weighted * scale} : FlowLoss {0, weighted * scale, mean};
    }
    if (!gradient.defined())
        gradient = at::empty(velocity.sizes(), at::kFloat);
    const float* const predicted = velocity.const_data_ptr<float>();
    const float* const targets = target.const_data_ptr<float>();
    float* const out = gradient.data_ptr<float>();
    double squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const float error = predicted[i] - targets[i];
        out[i] = error * static_cast<float>(scale);
        squares += static_cast<double>(error) * error;
    }
    return {squares / static_cast<double>(count), std::move(gradient)};
}

}  // namespace engine

#include "engine/algorithm/rollout_metrics.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace engine {
namespace {

/// Stages whose time is also given per sample.
constexpr std::array<std::string_view, 5> kPerSample = {"gen", "ref", "old_log_prob", "adv", "update_actor"};

void addRange(NamedNumbers& metrics, const std::string& name, const at::Tensor& values)
{
    if (!values.defined() || values.numel() == 0)
        return;
    const at::Tensor numbers = values.to(at::kDouble);
    metrics[name + "/mean"] = numbers.mean().item<double>();
    metrics[name + "/max"] = numbers.max().item<double>();
    metrics[name + "/min"] = numbers.min().item<double>();
}

}  // namespace

NamedNumbers dataMetrics(const RolloutData& data)
{
    NamedNumbers metrics;
    const at::Tensor rewards = data.rewards.dim() > 1 ? data.rewards.to(at::kDouble).mean(1) : data.rewards.to(at::kDouble);
    addRange(metrics, "critic/rewards", rewards);
    addRange(metrics, "critic/advantages", data.advantages);
    addRange(metrics, "critic/returns", data.returns);
    if (data.groups.empty())
        return metrics;
    std::map<std::int64_t, std::vector<std::int64_t>> rows;
    for (std::size_t row = 0; row < data.groups.size(); ++row)
        rows[data.groups[row]].push_back(static_cast<std::int64_t>(row));
    double flat = 0, spread = 0;
    for (const auto& [group, members] : rows) {
        const at::Tensor ofGroup = rewards.index_select(0, at::tensor(members, at::kLong));
        const bool isFlat = ofGroup.eq(ofGroup[0]).all().item<bool>();  // exactly, which a computed deviation of 0 is not
        flat += isFlat ? 1 : 0;
        spread += isFlat ? 0 : ofGroup.std(/*unbiased=*/false).item<double>();
    }
    const auto groups = static_cast<double>(rows.size());
    metrics["critic/rewards/zero_std_ratio"] = flat / groups;
    metrics["critic/rewards/std_mean"] = spread / groups;
    metrics["critic/rewards/group_size"] = static_cast<double>(data.groups.size()) / groups;
    return metrics;
}

NamedNumbers componentMetrics(const NamedTensors& components)
{
    NamedNumbers metrics;
    for (const auto& [name, values] : components)
        metrics["critic/" + name + "/mean"] = values.to(at::kDouble).mean().item<double>();
    return metrics;
}

NamedNumbers perfMetrics(const std::map<std::string, double>& seconds, std::int64_t samples, std::int64_t devices)
{
    NamedNumbers metrics;
    const auto count = static_cast<double>(samples);
    for (const auto& [stage, time] : seconds) {
        metrics["timing_s/" + stage] = time;
        if (std::ranges::find(kPerSample, stage) != kPerSample.end())
            metrics["timing_per_image_ms/" + stage] = time * 1000 / count;
    }
    if (const auto step = seconds.find("step"); step != seconds.end()) {
        metrics["perf/total_num_images"] = count;
        metrics["perf/time_per_step"] = step->second;
        metrics["perf/throughput"] = count / (step->second * static_cast<double>(devices));
    }
    return metrics;
}

NamedNumbers oldPolicyMetrics(const OldPolicy::Update& update)
{
    using Kind = OldPolicy::Kind;
    return {{"old_policy/update_applied", update.kind == Kind::None ? 0 : 1}, {"old_policy/copy_update", update.kind == Kind::Copy ? 1 : 0},
        {"old_policy/ema_update", update.kind == Kind::Average ? 1 : 0}, {"old_policy/decay", update.decay}};
}

}  // namespace engine

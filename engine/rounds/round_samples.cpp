#include "engine/rounds/round_samples.h"

#include "engine/rounds/gathered_samples.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

/// Indices of @p values, from the highest value to the lowest.
std::vector<std::int64_t> ranked(const std::vector<double>& values)
{
    std::vector<std::int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order,
        [&](std::int64_t a, std::int64_t b) { return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)]; });
    return order;
}

}  // namespace

std::vector<RoundSample> bestAndWorst(const at::Tensor& rewards, std::int64_t samplesPerPrompt)
{
    if (rewards.eq(rewards[0]).all().item<bool>())
        return {};
    const std::int64_t prompts = rewards.size(0) / samplesPerPrompt;
    const auto* const values = rewards.const_data_ptr<float>();
    std::vector<double> means;
    for (std::int64_t prompt = 0; prompt < prompts; ++prompt) {
        const auto* const first = values + prompt * samplesPerPrompt;
        means.push_back(std::accumulate(first, first + samplesPerPrompt, 0.0) / static_cast<double>(samplesPerPrompt));
    }
    const std::vector<std::int64_t> order = ranked(means);
    std::vector<RoundSample> samples;
    for (const std::int64_t place : prompts == 1 ? std::vector<std::int64_t> {1} : std::vector<std::int64_t> {1, prompts}) {
        const std::int64_t prompt = order[static_cast<std::size_t>(place - 1)], first = prompt * samplesPerPrompt;
        const std::vector<std::int64_t> members = ranked({values + first, values + first + samplesPerPrompt});
        for (const std::int64_t sample : {std::int64_t {1}, samplesPerPrompt}) {
            const std::int64_t row = first + members[static_cast<std::size_t>(sample - 1)];
            samples.push_back({.row = row, .reward = values[row], .promptReward = means[static_cast<std::size_t>(prompt)],
                .promptPlace = place, .prompts = prompts, .place = sample, .samples = samplesPerPrompt});
        }
    }
    return samples;
}

void showBestAndWorst(RolloutSource& source, std::int64_t round, const std::vector<DrawnRows>& drawn, const at::Tensor& rewards,
    std::int64_t samplesPerPrompt, Group& dataRanks, c10::Device device)
{
    std::vector<RoundSample> samples = bestAndWorst(rewards, samplesPerPrompt);
    if (samples.empty())
        return;
    const auto count = static_cast<std::int64_t>(samples.size());
    std::vector<std::int64_t> rows;
    for (const RoundSample& sample : samples)
        rows.push_back(sample.row);
    const at::Tensor latents = gatheredSamples(drawn, rows, dataRanks);
    at::Tensor facts = at::zeros({count, 2}, at::kDouble);  // number of the prompt, watched reward
    const at::Tensor watched = source.watchedRewards();
    std::int64_t scored = 0;
    for (const DrawnRows& micro : drawn) {
        for (std::size_t i = 0; i < micro.rows.size(); ++i, ++scored) {
            const auto found = std::ranges::find(samples, static_cast<std::int64_t>(micro.rows[i]), &RoundSample::row);
            if (found == samples.end())
                continue;
            const std::int64_t place = found - samples.begin();
            facts[place][0] = static_cast<double>(micro.prompts[i]);
            if (watched.defined())
                facts[place][1] = watched[scored].item<double>();
        }
    }
    at::Tensor all = facts.to(device);
    dataRanks.allReduceSum(all, "the best and worst samples");
    facts = dataRanks.onHost(all);
    for (std::int64_t place = 0; place < count; ++place) {
        RoundSample& sample = samples[static_cast<std::size_t>(place)];
        sample.round = round + 1;
        sample.prompt = static_cast<std::int64_t>(facts[place][0].item<double>());
        if (watched.defined())
            sample.watchedReward = facts[place][1].item<double>();
    }
    source.show(samples, latents);
}

}  // namespace engine

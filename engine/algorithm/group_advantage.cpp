#include "engine/algorithm/group_advantage.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

/// Mean and standard deviation of the entries that were added.
struct Entries {
    std::int64_t rows = 0;
    std::vector<double> values;

    double mean() const
    {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return sum / static_cast<double>(values.size());
    }
    /// Unbiased; 1 for a single entry, for which it is not defined (row A-071).
    double std() const
    {
        if (values.size() < 2)
            return 1;
        const double center = mean();
        double squares = 0;
        for (const double value : values)
            squares += (value - center) * (value - center);
        return std::sqrt(squares / static_cast<double>(values.size() - 1));
    }
    bool isFlat() const
    {
        return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
    }
};

void checkRewards(const at::Tensor& rewards, std::size_t groups)
{
    if (rewards.dim() != 1 && rewards.dim() != 2)
        throw std::invalid_argument("rewards have " + std::to_string(rewards.dim()) + " dimensions; they must be [B] or [B, T]");
    if (rewards.size(0) != static_cast<std::int64_t>(groups))
        throw std::invalid_argument("there are rewards of " + std::to_string(rewards.size(0)) + " samples, but groups of "
            + std::to_string(groups));
    if (!rewards.isfinite().all().item<bool>())
        throw std::invalid_argument("a reward is not finite; a scorer must return a finite number for each sample");
}

}  // namespace

std::vector<std::int64_t> groupsOf(const std::vector<std::string>& uids)
{
    std::map<std::string, std::int64_t> numbers;
    std::vector<std::int64_t> groups;
    for (const std::string& uid : uids)
        groups.push_back(numbers.emplace(uid, static_cast<std::int64_t>(numbers.size())).first->second);
    return groups;
}

GroupAdvantages groupAdvantages(const at::Tensor& rewards, const std::vector<std::int64_t>& groups, const AdvantageOptions& options)
{
    checkRewards(rewards, groups.size());
    const at::Tensor values = rewards.to(at::kDouble).contiguous();
    const std::int64_t rows = values.size(0), columns = rows > 0 ? values.numel() / rows : 0;
    const double* const reward = values.const_data_ptr<double>();

    Entries all;
    std::map<std::int64_t, Entries> byGroup;
    for (std::int64_t row = 0; row < rows; ++row) {
        Entries& group = byGroup[groups[static_cast<std::size_t>(row)]];
        ++group.rows;
        for (Entries* entries : {&all, &group})
            entries->values.insert(entries->values.end(), reward + row * columns, reward + (row + 1) * columns);
    }

    GroupAdvantages result {at::empty(rewards.sizes(), at::kFloat), static_cast<std::int64_t>(byGroup.size()), 0};
    struct Scale {
        double mean, factor;
        bool isSingle;
    };
    std::map<std::int64_t, Scale> scales;
    const double globalStd = all.std();
    for (const auto& [number, group] : byGroup) {
        const double std = options.usesGlobalStd ? globalStd : group.std();
        scales[number] = {group.mean(), options.dividesByStd ? 1 / (std + options.epsilon) : 1, group.rows == 1};
        result.flatGroups += group.isFlat() || group.rows == 1 ? 1 : 0;
    }
    float* const advantage = result.advantages.mutable_data_ptr<float>();
    for (std::int64_t row = 0; row < rows; ++row) {
        const Scale& scale = scales.at(groups[static_cast<std::size_t>(row)]);
        for (std::int64_t entry = row * columns; entry < (row + 1) * columns; ++entry)
            advantage[entry] = scale.isSingle ? 0 : static_cast<float>((reward[entry] - scale.mean) * scale.factor);
    }
    return result;
}

}  // namespace engine

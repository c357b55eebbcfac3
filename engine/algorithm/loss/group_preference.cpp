#include "engine/algorithm/loss/group_preference.h"

#include "engine/comm/data_collectives.h"
#include "engine/comm/errors.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <string>

namespace engine {

GroupPreference::GroupPreference(const std::vector<std::int64_t>& groups, std::int64_t groupSize, Group& dataRanks, c10::Device device)
    : m_groupSize(groupSize)
    , m_dataRanks(&dataRanks)
    , m_device(device)
    , m_firstRow(static_cast<std::int64_t>(groups.size()) * dataRanks.rank())
{
    const at::Tensor all = allGathered(dataRanks, at::tensor(groups, at::kLong), device).tensor().contiguous();
    std::map<std::int64_t, std::int64_t> indices;  // of the groups' numbers, in the order in which they appear
    std::vector<std::int64_t> dense, members;
    for (std::int64_t row = 0; row < all.numel(); ++row) {
        const auto [entry, isNew] = indices.emplace(all.data_ptr<std::int64_t>()[row], static_cast<std::int64_t>(members.size()));
        if (isNew)
            members.push_back(0);
        ++members[static_cast<std::size_t>(entry->second)];
        dense.push_back(entry->second);
    }
    for (const auto& [group, index] : indices) {
        if (members[static_cast<std::size_t>(index)] != groupSize)
            throw EngineError(EngineError::Kind::WrongUsage,
                "group " + std::to_string(group) + " has " + std::to_string(members[static_cast<std::size_t>(index)])
                    + " samples in a micro-batch of all ranks, but its loss needs all " + std::to_string(groupSize)
                    + " together: make the micro-batch a multiple of the samples per prompt");
    }
    m_groups = static_cast<std::int64_t>(members.size());
    m_allGroups = at::tensor(dense, at::kLong).to(device);
}

at::Tensor GroupPreference::sums(const at::Tensor& values) const
{
    const at::Tensor all = allGathered(*m_dataRanks, values, m_device).tensor();
    const at::Tensor perGroup = at::zeros({m_groups}, all.options()).index_add(0, m_allGroups, all);
    return perGroup.index_select(0, m_allGroups.narrow(0, m_firstRow, values.size(0)));
}

}  // namespace engine

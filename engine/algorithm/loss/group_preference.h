// Sums over the groups of a micro-batch whose rows may lie on several ranks.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace engine {

/// The groups of one global micro-batch: which rows of all ranks are samples of one prompt. Made once for a micro-batch, used at
/// each of its timesteps.
class GroupPreference {
public:
    /// Collective over @p dataRanks, each with equally many rows.
    /// @param groups [B] the group of each row of this rank; equal numbers are one group on all ranks
    /// @param groupSize members of each group
    /// @param dataRanks must outlive this
    /// @param device of the rows
    /// @throws EngineError WrongUsage on every rank when a group does not have exactly that many rows in the micro-batch.
    GroupPreference(const std::vector<std::int64_t>& groups, std::int64_t groupSize, Group& dataRanks, c10::Device device);

    std::int64_t groupSize() const { return m_groupSize; }

    /// Sums @p values over each row's group, on all ranks. Collective.
    /// @param values [B] float32 @return [B]
    at::Tensor sums(const at::Tensor& values) const;

private:
    std::int64_t m_groupSize;
    Group* m_dataRanks;
    c10::Device m_device;
    std::int64_t m_groups = 0;     ///< in the global micro-batch
    at::Tensor m_allGroups;        ///< [ranks · B] int64, in [0, m_groups)
    std::int64_t m_firstRow = 0;   ///< of this rank in m_allGroups
};

}  // namespace engine

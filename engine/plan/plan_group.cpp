#include "engine/plan/plan_group.h"

namespace engine {

at::Tensor PlanGroup::allocate(std::int64_t bytes, Sharing sharing, c10::Device device)
{
    // A rank reads its shard of the gradients in the blocks of all others.
    const bool readsOthers = m_sharesMemory && sharing == Sharing::OnePerRank;
    m_residentBytes += readsOthers ? bytes + bytes / size() * (size() - 1) : bytes;
    return Group::allocate(bytes, sharing, device);
}

Pending PlanGroup::startAllGather(const at::Tensor&, const std::string&) { return {}; }
Pending PlanGroup::startReduceScatter(const at::Tensor&, const at::Tensor&, const std::string&) { return {}; }
Pending PlanGroup::startSum(const at::Tensor&, const at::Tensor&, bool, const std::string&) { return {}; }
Pending PlanGroup::startAllReduce(const at::Tensor&, const std::string&) { return {}; }
Pending PlanGroup::startAllToAll(const at::Tensor&, const at::Tensor&, const std::string&) { return {}; }
Pending PlanGroup::startShift(const at::Tensor&, const at::Tensor&, const std::string&) { return {}; }
Pending PlanGroup::startBarrier(const std::string&) { return {}; }

}  // namespace engine

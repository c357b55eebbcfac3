// Weights of a frozen model that lie on several ranks.
#pragma once
#include "engine/comm/group.h"
#include "engine/model/weight_lookup.h"
#include "engine/model/weights_source.h"

#include <map>

namespace engine {

/// Each rank keeps its part of a tensor once that was asked for, and brings it to all whenever it is asked for: the memory of
/// one model for all ranks, and a layer's for each. Who computes with it does so on all ranks together, the same layers in the
/// same order. One thread.
class ShardedWeights final : public WeightLookup {
public:
    /// @param ranks outlives this
    ShardedWeights(WeightsSource source, at::ScalarType dtype, c10::Device device, Group& ranks)
        : m_source(std::move(source))
        , m_dtype(dtype)
        , m_device(device)
        , m_ranks(ranks)
    {
    }

    bool contains(const std::string& name) const override { return m_source.has(name); }
    at::Tensor tensor(const std::string& name) const override;

private:
    /// [n], this rank's of all elements, the last rank's padded with zeros.
    const at::Tensor& ownPart(const std::string& name, std::int64_t elements, std::int64_t length) const;

    WeightsSource m_source;
    at::ScalarType m_dtype;
    c10::Device m_device;
    Group& m_ranks;
    mutable std::map<std::string, at::Tensor> m_parts;
};

}  // namespace engine

// Weights of a frozen model, sharded over ranks.
#pragma once
#include "engine/comm/group.h"
#include "engine/weights/weight_lookup.h"
#include "engine/weights/weights_source.h"

#include <map>

namespace engine {

/// The first lookup of a tensor reads this rank's shard and keeps it; every lookup all-gathers the shards. All ranks together
/// thus hold the model once, and each rank in addition the layer that it computes. Collective: all ranks look up the same
/// tensors in the same order. A tensor is always looked up in the same dtype. One thread.
class ShardedWeights final : public WeightLookup {
public:
    /// @param ranks must outlive this
    ShardedWeights(WeightsSource source, at::ScalarType dtype, c10::Device device, Group& ranks)
        : m_source(std::move(source))
        , m_dtype(dtype)
        , m_device(device)
        , m_ranks(ranks)
    {
    }

    bool contains(const std::string& name) const override { return m_source.has(name); }
    at::Tensor tensor(const std::string& name) const override { return gathered(name, m_dtype); }
    at::Tensor floatTensor(const std::string& name) const override { return gathered(name, at::kFloat); }

private:
    at::Tensor gathered(const std::string& name, at::ScalarType dtype) const;
    /// Returns this rank's @p length of the tensor's @p elements elements, zeros past the end. Reads them when called first.
    const at::Tensor& localShard(const std::string& name, at::ScalarType dtype, std::int64_t elements, std::int64_t length) const;

    WeightsSource m_source;
    at::ScalarType m_dtype;
    c10::Device m_device;
    Group& m_ranks;
    mutable std::map<std::string, at::Tensor> m_shards;
};

}  // namespace engine

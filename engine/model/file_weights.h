// Weights of a frozen model straight from its files, or kept in memory.
#pragma once
#include "engine/model/weight_lookup.h"
#include "engine/model/weights_source.h"

#include <map>
#include <memory>

namespace engine {

/// Reads a tensor each time that it is asked for, so that one layer's weights are in memory at a time; on the CPU, in the
/// dtype of the file, without a copy.
class FileWeights final : public WeightLookup {
public:
    FileWeights(WeightsSource source, at::ScalarType dtype, c10::Device device = c10::Device(c10::DeviceType::CPU))
        : m_source(std::move(source))
        , m_dtype(dtype)
        , m_device(device)
    {
    }

    bool contains(const std::string& name) const override { return m_source.has(name); }
    at::Tensor tensor(const std::string& name) const override;

private:
    WeightsSource m_source;
    at::ScalarType m_dtype;
    c10::Device m_device;
};

/// Keeps each tensor that was asked for once, in memory of its own: convolutions read pages of a mapped file a tenth slower.
class KeptWeights final : public WeightLookup {
public:
    explicit KeptWeights(std::shared_ptr<const WeightLookup> from)
        : m_from(std::move(from))
    {
    }

    bool contains(const std::string& name) const override { return m_from->contains(name); }
    at::Tensor tensor(const std::string& name) const override;

    /// Keeps nothing, until tensors are asked for again.
    void release() { m_tensors.clear(); }

private:
    std::shared_ptr<const WeightLookup> m_from;
    mutable std::map<std::string, at::Tensor> m_tensors;
};

}  // namespace engine

// Weights of a frozen model, read from its files each time or cached in memory.
#pragma once
#include "engine/weights/weight_lookup.h"
#include "engine/weights/weights_source.h"

#include <map>
#include <memory>

namespace engine {

/// Reads a tensor from the file at each lookup, so that only one layer's weights are in memory at a time. Returns mapped memory
/// without a copy on the CPU when the file has the wanted dtype.
class FileWeights final : public WeightLookup {
public:
    FileWeights(WeightsSource source, at::ScalarType dtype, c10::Device device = c10::Device(c10::DeviceType::CPU))
        : m_source(std::move(source))
        , m_dtype(dtype)
        , m_device(device)
    {
    }

    bool contains(const std::string& name) const override { return m_source.has(name); }
    at::Tensor tensor(const std::string& name) const override { return read(name, m_dtype); }
    at::Tensor floatTensor(const std::string& name) const override { return read(name, at::kFloat); }

private:
    at::Tensor read(const std::string& name, at::ScalarType dtype) const;

    WeightsSource m_source;
    at::ScalarType m_dtype;
    c10::Device m_device;
};

/// Caches a copy of each tensor at its first lookup. The copy also pays off for mapped files, since convolutions are about 10 %
/// slower on mapped memory.
class CachedWeights final : public WeightLookup {
public:
    explicit CachedWeights(std::shared_ptr<const WeightLookup> from)
        : m_from(std::move(from))
    {
    }

    bool contains(const std::string& name) const override { return m_from->contains(name); }
    at::Tensor tensor(const std::string& name) const override;

    /// Empties the cache; later lookups fill it again.
    void release() { m_tensors.clear(); }

private:
    std::shared_ptr<const WeightLookup> m_from;
    mutable std::map<std::string, at::Tensor> m_tensors;
};

}  // namespace engine

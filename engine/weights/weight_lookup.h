// Where a frozen model (text encoder, autoencoder) gets its weights from, by their names in the checkpoint.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

/// A frozen model looks up a layer's weights when it computes the layer, in the same order every time, and releases them
/// afterwards. Implementations map files, cache in memory, or all-gather shards at each lookup.
class WeightLookup {
public:
    virtual ~WeightLookup() = default;

    virtual bool contains(const std::string& name) const = 0;

    /// Returns the tensor in the dtype and on the device to compute with. Collective where the weights are sharded.
    /// @throws std::runtime_error when there is no tensor @p name.
    virtual at::Tensor tensor(const std::string& name) const = 0;

    /// The same in float32, for the few layers that compute in float32 whatever the dtype of the others. Where the file holds more
    /// than the dtype of tensor() can, nothing is rounded.
    virtual at::Tensor floatTensor(const std::string& name) const { return tensor(name).to(at::kFloat); }
};

/// The weights below one name: scope / "attn" / "to_q", then ("weight", shape).
class WeightScope {
public:
    /// @param lookup must outlive the scope
    explicit WeightScope(const WeightLookup& lookup, std::string prefix = {})
        : m_lookup(&lookup)
        , m_prefix(std::move(prefix))
    {
    }

    WeightScope operator/(std::string_view part) const;
    WeightScope operator/(std::int64_t index) const { return *this / std::to_string(index); }

    bool contains(const std::string& name) const { return m_lookup->contains(m_prefix + name); }

    /// @throws EngineError naming the tensor, when its shape is not @p shape; and as WeightLookup::tensor().
    at::Tensor operator()(const std::string& name, at::IntArrayRef shape) const;
    at::Tensor inFloat(const std::string& name, at::IntArrayRef shape) const;  ///< WeightLookup::floatTensor()

private:
    at::Tensor checked(const std::string& name, at::Tensor tensor, at::IntArrayRef shape) const;

    const WeightLookup* m_lookup;
    std::string m_prefix;  ///< ends with "." when not empty
};

}  // namespace engine

// Where a frozen model (a text encoder, an autoencoder) takes its weights from, by their names in the checkpoint.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace engine {

/// A frozen model asks for a layer's weights when it computes that layer, in the same order every time, and drops them
/// after it: behind this may be a mapped file, memory, or shards that are gathered as they are asked for.
class WeightLookup {
public:
    virtual ~WeightLookup() = default;

    virtual bool contains(const std::string& name) const = 0;

    /// In the dtype and on the device to compute with. Where weights are sharded: collective.
    /// @throws EngineError when there is none of that name.
    virtual at::Tensor tensor(const std::string& name) const = 0;
};

/// The weights below one name: scope / "attn" / "to_q", then ("weight", shape).
class WeightScope {
public:
    /// @param lookup outlives the scope.
    explicit WeightScope(const WeightLookup& lookup, std::string prefix = {})
        : m_lookup(&lookup)
        , m_prefix(std::move(prefix))
    {
    }

    WeightScope operator/(std::string_view part) const;
    WeightScope operator/(std::int64_t index) const { return *this / std::to_string(index); }

    bool contains(const std::string& name) const { return m_lookup->contains(m_prefix + name); }

    /// @throws EngineError naming the tensor, when it is missing or of another shape than the config says.
    at::Tensor operator()(const std::string& name, at::IntArrayRef shape) const;

private:
    const WeightLookup* m_lookup;
    std::string m_prefix;  ///< ends with "." when not empty
};

}  // namespace engine

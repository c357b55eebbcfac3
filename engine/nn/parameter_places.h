// How a model declares its parameters under the names of its checkpoints, and finds them again.
#pragma once
#include "engine/nn/linear.h"
#include "engine/shard/unit.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace engine {

/// Indices of a linear's parameters among those of its block, or of the root.
struct LinearPlace {
    std::size_t weight = 0;
    std::optional<std::size_t> bias;
};

using ParameterPlace = std::optional<std::size_t>;  ///< index of a parameter that a model may lack

/// Standard deviation of initial weights, for training from scratch.
constexpr double kInitStd = 0.02;

/// Collects the parameters of one block.
class SpecBuilder {
public:
    /// @param prefix of all names: "transformer_blocks.3."; empty for the root
    SpecBuilder(std::string unit, std::string prefix)
        : m_spec {std::move(unit), {}}
        , m_prefix(std::move(prefix))
    {
    }

    /// "NAME.weight" [out, in] ~ N(0, std²) and "NAME.bias" [out], zero.
    LinearPlace linear(const std::string& name, std::int64_t out, std::int64_t in, double std = kInitStd);
    LinearPlace linearWithoutBias(const std::string& name, std::int64_t out, std::int64_t in, double std = kInitStd);
    /// "NAME.weight" [out, in, kernel…] and "NAME.bias" [out], of a convolution whose windows do not overlap
    LinearPlace convolution(
        const std::string& name, std::int64_t out, std::int64_t in, const std::vector<std::int64_t>& kernel);
    /// @param name the full name without the prefix @return its index in the block
    std::size_t parameter(const std::string& name, std::vector<std::int64_t> shape, double std, double mean = 0);
    /// "NAME.weight" [size], ones.
    std::size_t normWeight(const std::string& name, std::int64_t size) { return parameter(name + ".weight", {size}, 0, 1); }

    UnitSpec take() { return std::move(m_spec); }

private:
    UnitSpec m_spec;
    std::string m_prefix;
};

/// A block's parameters, in whichever unit they are. Indices are those that SpecBuilder returned.
class BlockParameters {
public:
    /// @param first index of the block's first parameter in @p unit
    BlockParameters(Unit& unit, std::size_t first)
        : m_unit(unit)
        , m_first(first)
    {
    }
    Parameter& operator[](std::size_t place) const { return m_unit.parameter(m_first + place); }
    /// @return nullptr if the model lacks it
    Parameter* find(const ParameterPlace& place) const { return place ? &(*this)[*place] : nullptr; }
    LinearWeights linear(const LinearPlace& place) const { return {&(*this)[place.weight], find(place.bias)}; }
    LinearGroup linears(std::initializer_list<LinearPlace> places) const;

private:
    Unit& m_unit;
    std::size_t m_first;
};

}  // namespace engine

// One parameter of a sharded model.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/accumulate.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

struct ParameterSpec {
    std::string name;                 ///< full, as in checkpoints: "blocks.3.qkv.weight"
    std::vector<std::int64_t> shape;
    double initStd = 0;               ///< of the initial values; 0: all are initMean
    bool isDecayed = true;            ///< whether weight decay applies
    bool isTrained = true;            ///< otherwise frozen: no gradient, no optimizer state
    bool isOfBlock = false;           ///< belongs to a block that is kept in the root unit
    double initMean = 0;              ///< initial values ~ N(initMean, initStd²)
    double initBound = 0;             ///< above 0: ~ U(initMean - initBound, initMean + initBound) instead
    /// If set, computes all initial values at once, instead of drawing each element: the parameter's shape, float32, on the
    /// CPU, the same on every rank.
    std::function<at::Tensor(std::uint64_t seed)> initWhole = {};
    bool isLinear = false;            ///< the weight [out, in] of a linear layer, which an adapter may target
    std::string adapter = {};         ///< the adapter that it belongs to: "default", "old"; empty: the base model

    std::int64_t elements() const { return c10::multiply_integers(shape); }
};

/// Whether weight decay applies by default, by name: not to biases and the weights of norms (row E-174).
inline bool isDecayedByRule(std::string_view name)
{
    constexpr std::string_view kExempt[] = {"bias", "layer_norm.weight", "layernorm.weight", "norm.weight", "ln_f.weight"};
    for (const std::string_view part : kExempt) {
        if (name.find(part) != std::string_view::npos)
            return false;
    }
    return true;
}

struct Parameter;

/// A LoRA term: a linear computes W x + scale · B (A x) instead of W x (Hu et al., 2021).
struct LowRankTerm {
    Parameter* down = nullptr;  ///< A [rank, in]
    Parameter* up = nullptr;    ///< B [out, rank]
    double scale = 0;
    std::string module = {};    ///< name of the linear, for the dropout's random draws
    /// In training, probability that A sees 0 for an element of x; the others are scaled by 1 / (1 - dropout).
    double dropout = 0;
};

/// A parameter as layers use it. value is valid while its unit is gathered, grad during the unit's backward.
struct Parameter {
    at::Tensor value;  ///< view into the gathered buffer, compute dtype
    at::Tensor grad;   ///< view into the flat gradient, compute dtype
    /// Whether this backward has already written grad, so that a further contribution must be added.
    bool isGradWritten = false;
    bool isTrained = true;  ///< otherwise frozen: do not write grad
    const LowRankTerm* lowRank = nullptr;  ///< set for a linear's weight while an adapter is selected

    /// Call before each contribution to grad. @return true for the first one of this backward: overwrite; otherwise add
    bool claimGrad() { return !std::exchange(isGradWritten, true); }
};

/// Parameters that are gathered together: a transformer block, or the root's remainder.
struct UnitSpec {
    std::string name;  ///< "blocks.3", "root"
    std::vector<ParameterSpec> parameters;
    bool computesInFloat = false;  ///< gathered in float32, whatever the compute dtype of the others
};

}  // namespace engine

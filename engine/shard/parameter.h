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
    double initStd = 0;               ///< of initial values; 0: all are initMean
    bool isDecayed = true;            ///< by weight decay
    bool isTrained = true;            ///< otherwise no gradient, no optimizer state
    bool isOfBlock = false;           ///< though it lies in the root
    double initMean = 0;              ///< initial values ~ N(initMean, initStd²)
    double initBound = 0;             ///< above 0: ~ U(initMean - initBound, initMean + initBound) instead
    /// All values, of the parameter's shape, float32 on the CPU and the same on every rank, where elements are not drawn one by one.
    std::function<at::Tensor(std::uint64_t seed)> initWhole = {};
    bool isLinear = false;            ///< the weight [out, in] of a linear layer, beside which an adapter may stand
    std::string adapter = {};         ///< whose matrix it is: "default", "old"; empty: the model's own

    std::int64_t elements() const { return c10::multiply_integers(shape); }
};

/// Which parameters weight decay leaves alone, by name: biases and the weights of norms (row E-174).
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

/// Makes of W x of a linear W x + scale · B (A x) (Hu et al., 2021).
struct LowRankTerm {
    Parameter* down = nullptr;  ///< A [rank, in]
    Parameter* up = nullptr;    ///< B [out, rank]
    double scale = 0;
    std::string module = {};    ///< whose linear it is, for draws
    double dropout = 0;         ///< chance of an element of x to be zero for A in a pass that trains; others are scaled by 1 / (1 - it)
};

/// What layers work with. Valid while its unit is gathered (value) or in backward (grad).
struct Parameter {
    at::Tensor value;  ///< view into the gathered buffer, compute dtype
    at::Tensor grad;   ///< view into the flat gradient, compute dtype
    /// A further use in the same backward must add to grad.
    bool isGradWritten = false;
    bool isTrained = true;  ///< otherwise nobody writes grad
    const LowRankTerm* lowRank = nullptr;  ///< of a linear's weight, while an adapter is selected

    /// For another contribution to grad. @return whether it is the first of this backward: write, otherwise add
    bool claimGrad() { return !std::exchange(isGradWritten, true); }
};

/// Parameters that are gathered together: a transformer block, or the root's remainder.
struct UnitSpec {
    std::string name;  ///< "blocks.3", "root"
    std::vector<ParameterSpec> parameters;
};

}  // namespace engine

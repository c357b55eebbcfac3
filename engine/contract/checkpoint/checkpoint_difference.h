// How the weights of two checkpoints differ, tensor by tensor and layer by layer.
#pragma once
#include "engine/contract/checkpoint/checkpoint_weights.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Sums over pairs of values: a of the first checkpoint, b of the second. Pairs in which one is not finite are counted and left out.
struct ValueDifference {
    std::uint64_t values = 0;     ///< all pairs
    std::uint64_t changed = 0;    ///< pairs that are not equal; a NaN equals a NaN
    std::uint64_t notFinite = 0;  ///< pairs with a NaN or an infinity
    double largest = 0;           ///< of |b − a|
    double squaredDifference = 0; ///< sum of (b − a)²
    double squaredFirst = 0;      ///< sum of a²

    void add(float a, float b);
    void add(const ValueDifference& other);
    double rms() const;       ///< root mean square of b − a; 0 without values
    double relative() const;  ///< ‖b − a‖ / ‖a‖; 0 when all are equal, infinity when only a is zero
};

struct TensorDifference {
    enum class Kind {
        Compared,
        OnlyInFirst,
        OnlyInSecond,
        OtherShape,  ///< the shapes differ
        NoNumbers,   ///< not of a floating-point dtype
    };
    std::string name;
    std::vector<std::int64_t> shape;  ///< in the first checkpoint, or the only one that has it
    Kind kind = Kind::Compared;
    ValueDifference difference;  ///< all zero unless Compared
};

const char* wordsOf(TensorDifference::Kind kind);  ///< "only in the first"; empty for Compared

/// The layer that a tensor belongs to: its name up to the first number ("blocks.3"), or else without its last part ("patch_embed").
std::string layerOf(std::string_view tensor);

struct LayerDifference {
    std::string name;
    int tensors = 0;             ///< that were compared
    ValueDifference difference;  ///< of all their values
};

/// One for each layer, in the order of their first tensors. Layers of which no tensor was compared are left out.
std::vector<LayerDifference> byLayer(const std::vector<TensorDifference>& tensors);

class ComparisonCancelled : public std::runtime_error {
public:
    ComparisonCancelled()
        : std::runtime_error("the comparison was cancelled")
    {
    }
};

/// Compares all tensors of both, in the order of the first and then those that only the second has. Reads every value of both; takes a
/// few MB of memory.
/// @param onProgress called after each few MB with the share that is done, 0 … 1; returning false cancels. May be empty
/// @throws std::runtime_error naming a file that is damaged or missing; ComparisonCancelled
std::vector<TensorDifference> compareWeights(
    const CheckpointWeights& first, const CheckpointWeights& second, const std::function<bool(double)>& onProgress = {});

}  // namespace contract

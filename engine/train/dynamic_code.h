// Eight-bit numbers in [-1, 1] or [0, 1], dense near zero, and vectors of them in blocks.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace engine {

/// The dynamic code of Dettmers et al., "8-bit optimizers via block-wise quantization" (2022): zero, one, and for each
/// of seven powers of ten values that divide a decade evenly, twice as many in each decade as in the one below.
/// A block of elements is the code of each, times the largest magnitude among them.
class DynamicCode {
public:
    enum class Range { Signed, Unsigned };
    static constexpr std::int64_t kBlock = 256;

    explicit DynamicCode(Range range);

    /// Ascending.
    const std::array<float, 256>& values() const { return m_values; }

    /// The code whose value is nearest. @param x from -1 to 1, or from 0 for Unsigned
    std::uint8_t nearest(float x) const;

    /// The code of 0, with which a state begins.
    std::uint8_t zero() const { return nearest(0); }

    /// @param count of one block, at most kBlock
    void decode(const std::uint8_t* codes, float largest, float* to, std::int64_t count) const;
    /// @return the largest magnitude
    float encode(const float* from, std::uint8_t* codes, std::int64_t count) const;

    /// The same in ATen's words, for any device. @param codes [n] uint8; @param largest [blocks] float32
    at::Tensor decode(const at::Tensor& codes, const at::Tensor& largest) const;
    void encode(const at::Tensor& from, const at::Tensor& codes, const at::Tensor& largest) const;

private:
    std::array<float, 256> m_values {};
    std::array<float, 256> m_upper {};  ///< between a value and the next; infinity after the last
    /// For magnitudes that share sign, exponent and seven bits of mantissa: the code of the smallest value among
    /// them. Values lie further apart than these, so that the nearest is this code or the next.
    std::vector<std::int32_t> m_lowest;
};

}  // namespace engine

// An 8-bit code for numbers in [-1, 1] or [0, 1], with more resolution near zero, applied in blocks.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace engine {

/// The dynamic code of Dettmers et al., "8-bit optimizers via block-wise quantization" (2022). Its values are zero, one, and
/// evenly spaced values in each of seven decades, twice as many in each decade as in the one below.
/// A block of elements is stored as one code per element and the block's largest magnitude, which scales them.
class DynamicCode {
public:
    enum class Range { Signed, Unsigned };
    static constexpr std::int64_t kBlock = 256;

    explicit DynamicCode(Range range);

    /// Returns the value of each code, ascending.
    const std::array<float, 256>& values() const { return m_values; }

    /// Returns the code with the nearest value. @param x in [-1, 1], or in [0, 1] for Unsigned
    std::uint8_t nearest(float x) const;

    /// Returns the code of 0, the initial value of a state.
    std::uint8_t zero() const { return nearest(0); }

    /// Decodes one block. @param count elements of the block, at most kBlock
    void decode(const std::uint8_t* codes, float largest, float* to, std::int64_t count) const;
    /// Encodes one block. @return its largest magnitude
    float encode(const float* from, std::uint8_t* codes, std::int64_t count) const;

    /// Decode and encode whole tensors, on any device. @param codes [n] uint8 @param largest [blocks] float32
    at::Tensor decode(const at::Tensor& codes, const at::Tensor& largest) const;
    void encode(const at::Tensor& from, const at::Tensor& codes, const at::Tensor& largest) const;

private:
    /// Returns @p values as a tensor on @p device, uploaded once. @param uploaded the copy of the last call
    static const at::Tensor& table(at::Tensor& uploaded, const std::array<float, 256>& values, c10::Device device);

    std::array<float, 256> m_values {};
    std::array<float, 256> m_upper {};  ///< midpoint between each value and the next; infinity for the last
    /// Lookup table over cells of numbers that share sign, exponent and seven bits of mantissa: the nearest code of the
    /// smallest number in the cell. Codes are further apart than cells are wide, so any number in the cell has this code or
    /// the next one.
    std::vector<std::int32_t> m_lowest;
    mutable at::Tensor m_uploadedValues, m_uploadedUpper;
};

}  // namespace engine

#include "engine/optim/dynamic_code.h"

#include "engine/kernels/cpu/processor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bucketize.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace engine {
namespace {

constexpr int kDecades = 7;
constexpr std::uint32_t kMantissaShift = 16;                                ///< keeps seven bits of mantissa
constexpr std::int32_t kFirstCell = (127 - 24) << 7;                        ///< 2^-24, far below the smallest value
constexpr std::int32_t kCells = (127 << 7) - kFirstCell + 1;                 ///< up to and including 1.0
constexpr std::uint32_t kMagnitude = 0x7fffffff;

/// Returns the cell of |x|. Numbers below the first cell count as in it, NaN as in the last: moments that have overflowed are
/// encoded too, and must not be looked up beyond the table.
ATELIER_INLINE std::int32_t cellOf(float x)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, x) & kMagnitude;
    const auto cell = static_cast<std::int32_t>(bits >> kMantissaShift) - kFirstCell;
    return cell < 0 ? 0 : cell < kCells ? cell : kCells - 1;
}

/// Negative numbers use the second half of the table, where a larger magnitude has a smaller code.
ATELIER_INLINE std::int32_t nearestCode(float x, const std::int32_t* lowest, const float* upper)
{
    const std::int32_t code = lowest[cellOf(x) + (x < 0 ? kCells : 0)];
    return code + (x > upper[code] ? 1 : 0);
}

ATELIER_MULTIVERSION
void encodeScaled(const float* from, float scale, std::uint8_t* codes, std::int64_t count, const std::int32_t* lowest,
    const float* upper)
{
    for (std::int64_t i = 0; i < count; ++i)
        codes[i] = static_cast<std::uint8_t>(nearestCode(std::clamp(from[i] * scale, -1.0F, 1.0F), lowest, upper));
}

ATELIER_MULTIVERSION
float largestMagnitude(const float* values, std::int64_t count)
{
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const float magnitude = std::fabs(values[i]);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

ATELIER_MULTIVERSION
void decodeScaled(const std::uint8_t* codes, float scale, float* to, std::int64_t count, const float* values)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = values[codes[i]] * scale;
}

/// Returns 1 / @p largest, or 0 for a block of zeros, for which any scale works.
float inverseOf(float largest) { return largest > std::numeric_limits<float>::min() ? 1 / largest : 0; }

}  // namespace

DynamicCode::DynamicCode(Range range)
{
    std::vector<double> values = {0, 1};
    for (int decade = 0; decade < kDecades; ++decade) {
        const int parts = 1 << (range == Range::Signed ? decade : decade + 1);
        const double power = std::pow(10.0, decade - kDecades + 1);
        for (int part = 0; part < parts; ++part) {
            const double middle = power * (0.1 + 0.9 * (part + 0.5) / parts);
            values.push_back(middle);
            if (range == Range::Signed)
                values.push_back(-middle);
        }
    }
    std::ranges::sort(values);
    std::ranges::transform(values, m_values.begin(), [](double value) { return static_cast<float>(value); });
    m_upper.back() = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i + 1 < m_values.size(); ++i)
        m_upper[i] = (m_values[i] + m_values[i + 1]) / 2;

    const auto codeOf = [&](float x) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(m_upper, x) - m_upper.begin());
    };
    for (const bool isNegative : {false, true}) {
        for (std::int32_t cell = 0; cell < kCells; ++cell) {
            const auto begin = static_cast<std::uint32_t>(cell + kFirstCell) << kMantissaShift;
            const auto first = cell == 0 ? 0.0F : std::bit_cast<float>(begin);
            const auto last = std::bit_cast<float>(begin | ((1U << kMantissaShift) - 1));
            m_lowest.push_back(codeOf(isNegative ? -last : first));
        }
    }
}

std::uint8_t DynamicCode::nearest(float x) const
{
    return static_cast<std::uint8_t>(nearestCode(x, m_lowest.data(), m_upper.data()));
}

void DynamicCode::decode(const std::uint8_t* codes, float largest, float* to, std::int64_t count) const
{
    decodeScaled(codes, largest, to, count, m_values.data());
}

float DynamicCode::encode(const float* from, std::uint8_t* codes, std::int64_t count) const
{
    const float largest = largestMagnitude(from, count);
    encodeScaled(from, inverseOf(largest), codes, count, m_lowest.data(), m_upper.data());
    return largest;
}

const at::Tensor& DynamicCode::table(at::Tensor& uploaded, const std::array<float, 256>& values, c10::Device device)
{
    if (!uploaded.defined() || uploaded.device() != device)
        uploaded = at::from_blob(const_cast<float*>(values.data()), {256}, at::kFloat).to(device, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
    return uploaded;
}

at::Tensor DynamicCode::decode(const at::Tensor& codes, const at::Tensor& largest) const
{
    return table(m_uploadedValues, m_values, codes.device()).index_select(0, codes.to(at::kInt)) * largest.repeat_interleave(kBlock).narrow(0, 0, codes.numel());
}

void DynamicCode::encode(const at::Tensor& from, const at::Tensor& codes, const at::Tensor& largest) const
{
    const std::int64_t count = from.numel();
    const at::Tensor blocks
        = at::constant_pad_nd(from, {0, largest.numel() * kBlock - count}).view({largest.numel(), kBlock});
    at::Tensor found = largest;
    found.copy_(blocks.abs().amax({1}));
    const at::Tensor scaled = (blocks / found.clamp_min(std::numeric_limits<float>::min()).unsqueeze(1)).view({-1});
    const at::Tensor bounds = table(m_uploadedUpper, m_upper, from.device()).narrow(0, 0, 255);
    at::Tensor to = codes;
    to.copy_(at::bucketize(scaled.narrow(0, 0, count), bounds));
}

}  // namespace engine

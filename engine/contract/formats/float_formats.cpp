#include "engine/contract/formats/float_formats.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace contract {
namespace {

/// IEEE binary16: 1 sign bit, 5 of exponent (bias 15), 10 of fraction.
float fromHalf(std::uint16_t half)
{
    const unsigned exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    std::uint32_t bits = 0;
    if (exponent == 0)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24F);
    else if (exponent == 31)
        bits = 0x7f800000 | (fraction << 13);
    else
        bits = ((exponent + 112) << 23) | (fraction << 13);
    return std::bit_cast<float>(sign | bits);
}

std::uint16_t toHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000)
        half = 0x7e00;
    else if (magnitude >= 0x477ff000)  // 65520, halfway between the largest finite number and the next power of two
        half = 0x7c00;
    else if (magnitude < 0x38800000)  // below 2^-14 numbers are subnormal: multiples of 2^-24
        half = static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F));
    else
        half = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    return static_cast<std::uint16_t>(sign | half);
}

/// A bfloat16 is the upper half of a float32.
float fromBfloat16(std::uint16_t value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16); }

std::uint16_t toBfloat16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool isNan = (bits & 0x7fffffff) > 0x7f800000;
    return static_cast<std::uint16_t>(isNan ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// F8_E4M3: 1 sign bit, 4 of exponent (bias 7), 3 of fraction; no infinities and one NaN per sign.
float fromE4m3(std::uint8_t value)
{
    const int exponent = (value >> 3) & 0xf, fraction = value & 7;
    const float magnitude = (value & 0x7f) == 0x7f ? std::numeric_limits<float>::quiet_NaN()
        : exponent == 0                            ? std::ldexp(static_cast<float>(fraction), -9)
                                                   : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
    return std::copysign(magnitude, (value & 0x80) != 0 ? -1.0F : 1.0F);
}

/// An F8_E5M2 is the upper half of a binary16.
float fromE5m2(std::uint8_t value) { return fromHalf(static_cast<std::uint16_t>(value << 8)); }

float toFloat32(double value) { return static_cast<float>(value); }
float identity(float value) { return value; }

template <typename Stored, float (*Convert)(Stored)>
void convertTo(const void* in, std::size_t count, float* out)
{
    const auto* from = static_cast<const char*>(in);
    for (std::size_t i = 0; i < count; ++i) {
        Stored value;
        std::memcpy(&value, from + i * sizeof value, sizeof value);
        out[i] = Convert(value);
    }
}

template <typename Stored, Stored (*Convert)(float)>
void convertFrom(const float* in, std::size_t count, void* out)
{
    auto* to = static_cast<char*>(out);
    for (std::size_t i = 0; i < count; ++i) {
        const Stored value = Convert(in[i]);
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

struct FloatFormat {
    std::string_view dtype;
    void (*read)(const void*, std::size_t, float*);
    void (*write)(const float*, std::size_t, void*);
};

constexpr std::array<FloatFormat, 6> kFormats = {{{"F64", convertTo<double, toFloat32>, nullptr},
    {"F32", convertTo<float, identity>, convertFrom<float, identity>}, {"F16", convertTo<std::uint16_t, fromHalf>, convertFrom<std::uint16_t, toHalf>},
    {"BF16", convertTo<std::uint16_t, fromBfloat16>, convertFrom<std::uint16_t, toBfloat16>},
    {"F8_E4M3", convertTo<std::uint8_t, fromE4m3>, nullptr}, {"F8_E5M2", convertTo<std::uint8_t, fromE5m2>, nullptr}}};

const FloatFormat* formatOf(std::string_view dtype)
{
    for (const FloatFormat& format : kFormats) {
        if (format.dtype == dtype)
            return &format;
    }
    return nullptr;
}

}  // namespace

bool isFloatDtype(std::string_view dtype) { return formatOf(dtype) != nullptr; }

void toFloats(std::string_view dtype, const void* in, std::size_t count, float* out)
{
    const FloatFormat* const format = formatOf(dtype);
    if (!format)
        throw std::invalid_argument("not a floating-point dtype: " + std::string(dtype));
    format->read(in, count, out);
}

void fromFloats(std::string_view dtype, const float* in, std::size_t count, void* out)
{
    const FloatFormat* const format = formatOf(dtype);
    if (!format || !format->write)
        throw std::invalid_argument("cannot write dtype " + std::string(dtype) + "; supported: F32, F16, BF16");
    format->write(in, count, out);
}

}  // namespace contract

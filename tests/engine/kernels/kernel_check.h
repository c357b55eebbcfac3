// Shared by the tests of kernels: random inputs and the comparison of results.
#pragma once
#include <ATen/ATen.h>

#include "tests/engine/test_device.h"

#include <QtTest>

#include <cstdint>

namespace tests {

inline constexpr std::int64_t kSamples = 3, kTokens = 5;

inline at::Tensor random(at::IntArrayRef shape, at::ScalarType dtype = at::kFloat) { return onDevice(at::randn(shape).to(dtype)); }

inline void compare(const at::Tensor& actual, const at::Tensor& expected)
{
    // One rounding of bfloat16 on each side; sums of a few hundred float32 terms.
    const double tolerance = actual.scalar_type() == at::kBFloat16 ? 1.0 / 64 : 2e-5;
    const at::Tensor difference = (actual.to(at::kDouble) - expected.to(at::kDouble)).abs();
    const double worst = (difference / (expected.to(at::kDouble).abs() + 1)).max().item<double>();
    QVERIFY2(worst <= tolerance, qPrintable(QStringLiteral("off by %1").arg(worst)));
}

}  // namespace tests

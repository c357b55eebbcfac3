// Numbers for tests that look random and are the same everywhere.
#pragma once
#include <ATen/ATen.h>

namespace tests {

/// A sine from @p phase to @p phase + 5, float32, in @p shape.
inline at::Tensor wave(at::IntArrayRef shape, double phase)
{
    return at::linspace(phase, phase + 5, c10::multiply_integers(shape)).sin().view(shape);
}

}  // namespace tests

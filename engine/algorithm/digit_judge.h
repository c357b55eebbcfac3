// Says which digit an image shows, so that samples can be held against the digit that was asked for.
#pragma once
#include "engine/data/digits.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace engine {

class DigitNetwork;

/// A small classifier, trained on the real digits alone: it never sees a sample.
class DigitJudge {
public:
    /// Takes a few seconds on one CPU thread; the same result for the same data and seed.
    /// Leaves the caller's random generators and grad mode as they are.
    static DigitJudge train(const DataSplit& data, std::uint64_t seed);

    DigitJudge(DigitJudge&&) noexcept;
    DigitJudge& operator=(DigitJudge&&) noexcept;
    ~DigitJudge();

    /// Share of the validation images that it names right, in [0, 1]; 0 when there are none.
    double accuracy() const { return m_accuracy; }

    /// @param images [N, 1, 8, 8] in [-1, 1], any float dtype and device.
    /// @return [N] int64 on the CPU.
    at::Tensor labels(const at::Tensor& images) const;

private:
    explicit DigitJudge(std::unique_ptr<DigitNetwork> network);

    std::unique_ptr<DigitNetwork> m_network;
    double m_accuracy = 0;
};

}  // namespace engine

// Classifies which digit an image shows, so that samples can be compared with the requested digit.
#pragma once
#include "engine/algorithm/digit_network.h"
#include "engine/data/digits.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace engine {

/// A small classifier, trained on real digits only, never on samples.
class DigitJudge {
public:
    /// Trains the classifier. Takes a few seconds on one CPU thread. Deterministic for given data and seed. Does not change
    /// the caller's random generators or grad mode.
    static DigitJudge train(const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape = DigitNetwork::Shape::Deep);

    /// Makes a trained classifier again. @param weights those of weights() @throws std::runtime_error when they do not fit @p shape.
    static DigitJudge withWeights(const DataSplit& data, DigitNetwork::Shape shape, const std::map<std::string, at::Tensor>& weights);

    /// Returns the weights by names, float32 on the CPU.
    std::map<std::string, at::Tensor> weights() const;

    DigitJudge(DigitJudge&&) noexcept;
    DigitJudge& operator=(DigitJudge&&) noexcept;
    ~DigitJudge();

    /// Returns the accuracy on the validation images, in [0, 1]; 0 when there are none.
    double accuracy() const { return m_accuracy; }

    /// Classifies images. @param images [N, 1, 8, 8] in [-1, 1], any floating-point dtype and device
    /// @return the digits, [N] int64 on the CPU.
    at::Tensor labels(const at::Tensor& images) const;

    /// Returns the probability of each digit, [N, classes] float32 on the CPU. @param images as for labels()
    at::Tensor probabilities(const at::Tensor& images) const;

private:
    explicit DigitJudge(std::unique_ptr<DigitNetwork> network);
    void measureAccuracy(const DataSplit& data);

    std::unique_ptr<DigitNetwork> m_network;
    double m_accuracy = 0;
};

}  // namespace engine

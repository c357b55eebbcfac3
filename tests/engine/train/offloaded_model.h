// A small sharded model whose gradients depend only on its gathered weights, so that a shard that is not moved in time changes
// the results.
#pragma once
#include "engine/optim/optimizer.h"
#include "engine/train/offload.h"

#include <memory>
#include <string>
#include <vector>

namespace tests {

struct OffloadSetting {
    at::ScalarType computeDtype = at::kFloat;
    int accumulation = 1;
    bool reducesEachPass = true, reshards = true, prefetches = true;
    std::string optimizer = "adamw";
    std::string offload = "none";
};

/// How many steps the comparisons take.
inline constexpr int kOffloadSteps = 4;

class OffloadedModel {
public:
    OffloadedModel(engine::Group& group, c10::Device device, engine::Group* replicas, const engine::CopyStream* copies,
        const OffloadSetting& setting, engine::Accelerator* accelerator = nullptr);

    void step(int number);

    /// Runs forward and backward, and adds to the existing gradients.
    void pass(int salt);

    /// Returns everything that a checkpoint would hold, on the CPU.
    std::vector<at::Tensor> states();

    /// Returns the gathered weights, or their EMA.
    std::vector<at::Tensor> gathered(engine::Weights weights);

    /// Returns where the master weights, gradients and optimizer states are: "device device host".
    std::string places();

    engine::UnitSequence& units() { return m_units; }
    engine::Offload& offload() { return m_offload; }

private:
    OffloadSetting m_setting;
    engine::BufferPool m_pool;
    engine::UnitSequence m_units;
    std::unique_ptr<engine::Optimizer> m_optimizer;
    engine::Offload m_offload;
};

/// Compares tensors. Writes differences to standard error, since a forked rank cannot fail a test itself.
/// @param tolerance 0: they must be bitwise equal
bool areEqual(const std::vector<at::Tensor>& some, const std::vector<at::Tensor>& others, double tolerance);

}  // namespace tests

// A small sharded model whose gradients follow from its gathered weights alone: what is not where it should be in time,
// shows in the numbers.
#pragma once
#include "engine/train/optimizer.h"
#include "engine/train/residency.h"

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

class OffloadedModel {
public:
    OffloadedModel(engine::Group& group, c10::Device device, engine::Group* replicas, const engine::CopyStream* copies,
        const OffloadSetting& setting, engine::Accelerator* accelerator = nullptr);

    void step(int number);

    /// Forward and backward, whose gradients are added to what is there.
    void pass(int salt);

    /// All that a checkpoint would hold, on the CPU.
    std::vector<at::Tensor> states();

    /// The gathered weights, or averages of them.
    std::vector<at::Tensor> gathered(engine::Weights weights);

    /// Where master, gradients and the optimizer's states lie: "device device host".
    std::string places();

    engine::UnitSequence& units() { return m_units; }
    engine::Residency& residency() { return m_residency; }

private:
    OffloadSetting m_setting;
    engine::BufferPool m_pool;
    engine::UnitSequence m_units;
    std::unique_ptr<engine::Optimizer> m_optimizer;
    engine::Residency m_residency;
};

/// @param tolerance 0: bit by bit. Says on standard error where they differ, since a forked rank has no test to fail.
bool areEqual(const std::vector<at::Tensor>& some, const std::vector<at::Tensor>& others, double tolerance);

}  // namespace tests

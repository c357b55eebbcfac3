// AdamW with moments of eight bits.
#pragma once
#include "engine/train/adamw.h"
#include "engine/train/dynamic_code.h"

namespace engine {

/// Parameters of at least ShardState::kFewestInBlocks elements keep both moments as codes in blocks of 256 with a
/// float32 magnitude each, 2.03 bytes a parameter: "exp_avg_8bit", "exp_avg_absmax", "exp_avg_sq_8bit" and
/// "exp_avg_sq_absmax". The others keep float32 ones. Blocks are cut in each parameter's own index space and never lie
/// on two ranks, so that the number of ranks changes no block.
class AdamW8bit final : public Optimizer {
public:
    static constexpr std::int64_t kBlock = DynamicCode::kBlock;

    /// @param units made with UnitOptions::stateBlock = kBlock
    AdamW8bit(UnitSequence& units, AdamWOptions options);
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    struct Blocks;
    void updateOnCpu(Unit& unit, const Blocks& blocks, const AdamWCoefficients& c) const;
    void updateByTensors(Unit& unit, const Blocks& blocks, const AdamWCoefficients& c) const;

    UnitSequence& m_units;
    AdamWOptions m_options;
    DynamicCode m_signed {DynamicCode::Range::Signed};
    DynamicCode m_unsigned {DynamicCode::Range::Unsigned};
};

}  // namespace engine

// AdamW with 8-bit moments.
#pragma once
#include "engine/optim/adamw.h"
#include "engine/optim/dynamic_code.h"

namespace engine {

/// Parameters with at least ShardState::kFewestInBlocks elements store both moments as 8-bit codes in blocks of 256, with one
/// float32 magnitude per block: 2.03 bytes per parameter, in the states "exp_avg_8bit", "exp_avg_absmax", "exp_avg_sq_8bit"
/// and "exp_avg_sq_absmax". Smaller parameters keep float32 moments. Blocks are cut in each parameter's own index space and
/// never span two ranks, so they do not depend on the number of ranks.
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

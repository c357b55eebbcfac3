#include "engine/optim/optimizer.h"

#include "engine/optim/adamw.h"
#include "engine/optim/adamw8bit.h"
#include "engine/optim/muon.h"

namespace engine {

void updateEmaAndCopy(Unit& unit, std::int64_t begin, std::int64_t count, double oneMinusEmaDecay)
{
    const at::Tensor weight = unit.master.narrow(0, begin, count);
    if (unit.ema.defined())
        unit.ema.narrow(0, begin, count).lerp_(weight.to(at::kFloat), oneMinusEmaDecay);
    if (const at::Tensor slot = unit.slotToRefresh(); slot.defined())
        slot.narrow(0, begin, count).copy_(weight);
}

bool hasCpuKernels(const Unit& unit)
{
    return unit.master.is_cpu() && unit.master.scalar_type() == at::kFloat
        && (unit.computeDtype() == at::kFloat || unit.computeDtype() == at::kBFloat16);
}

std::int64_t stateBlockOf(const contract::Experiment& experiment)
{
    return experiment.text("optim.kind") == "adamw8bit" ? AdamW8bit::kBlock : 1;
}

std::unique_ptr<Optimizer> makeOptimizer(const contract::Experiment& experiment, UnitSequence& units, Group& group)
{
    const AdamWOptions adamw {.beta1 = experiment.real("optim.beta1"),
        .beta2 = experiment.real("optim.beta2"),
        .eps = experiment.real("optim.eps"),
        .weightDecay = experiment.real("optim.weight_decay")};
    const std::string& kind = experiment.text("optim.kind");
    if (kind == "adamw8bit")
        return std::make_unique<AdamW8bit>(units, adamw);
    if (kind == "muon")
        return std::make_unique<Muon>(units, group, MuonOptions {experiment.real("optim.momentum")}, adamw);
    return std::make_unique<AdamW>(units, adamw);
}

}  // namespace engine

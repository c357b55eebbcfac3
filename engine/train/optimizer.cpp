#include "engine/train/optimizer.h"

#include "engine/train/adamw.h"

namespace engine {

std::unique_ptr<Optimizer> makeOptimizer(const contract::Experiment& experiment, UnitSequence& units, Group& /*group*/)
{
    const AdamWOptions adamw {.beta1 = experiment.real("optim.beta1"),
        .beta2 = experiment.real("optim.beta2"),
        .eps = experiment.real("optim.eps"),
        .weightDecay = experiment.real("optim.weight_decay")};
    return std::make_unique<AdamW>(units, adamw);
}

}  // namespace engine

#include "engine/train/task.h"

#include "engine/train/digits_task.h"

namespace engine {

std::unique_ptr<Task> makeTask(const contract::Experiment& experiment, Mesh& mesh, c10::Device device)
{
    return std::make_unique<DigitsTask>(experiment, mesh, device);
}

Weights shownWeights(const contract::Experiment& experiment)
{
    return experiment.real("ema.decay") > 0 && experiment.boolean("ema.use") ? Weights::Ema : Weights::Master;
}

}  // namespace engine

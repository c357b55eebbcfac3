#include "engine/tasks/task.h"

#include "engine/tasks/digits_task.h"
#include "engine/tasks/image_task.h"

namespace engine {

std::unique_ptr<Task> makeTask(const contract::Experiment& experiment, const TaskContext& context)
{
    if (experiment.text("model.name") == "dit")
        return std::make_unique<DigitsTask>(experiment, context);
    return std::make_unique<ImageTask>(experiment, context);
}

Weights evaluationWeights(const contract::Experiment& experiment)
{
    return experiment.real("ema.decay") > 0 && experiment.boolean("ema.use") ? Weights::Ema : Weights::Master;
}

}  // namespace engine

#include "engine/train/task.h"

#include "engine/train/digits_task.h"
#include "engine/train/picture_task.h"

namespace engine {

std::unique_ptr<Task> makeTask(const contract::Experiment& experiment, const TaskPlace& place)
{
    if (experiment.text("model.name") == "dit")
        return std::make_unique<DigitsTask>(experiment, place.mesh, place.device);
    return std::make_unique<PictureTask>(experiment, place);
}

Weights shownWeights(const contract::Experiment& experiment)
{
    return experiment.real("ema.decay") > 0 && experiment.boolean("ema.use") ? Weights::Ema : Weights::Master;
}

}  // namespace engine

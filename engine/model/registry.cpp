#include "engine/model/registry.h"

#include "engine/comm/errors.h"
#include "engine/model/dit.h"

namespace engine {

std::unique_ptr<Model> buildModel(
    const contract::Experiment& experiment, const DataShape& data, const SequenceGroups& sequence)
{
    const std::string& name = experiment.text("model.name");
    if (name == "dit")
        return std::make_unique<Dit>(DitConfig {.imageSize = data.imageSize,
            .channels = data.channels,
            .classes = data.classes,
            .patch = experiment.integer("model.patch"),
            .width = experiment.integer("model.width"),
            .depth = experiment.integer("model.depth"),
            .heads = experiment.integer("model.heads"),
            .wrap = {experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")},
            .sequence = sequence});
    throw EngineError(EngineError::Kind::WrongUsage,
        "model.name = \"" + name + "\" is not known here; known: dit");
}

}  // namespace engine

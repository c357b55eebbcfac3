#include "engine/models/registry.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"
#include "engine/models/dit/dit.h"
#include "engine/models/dit/dit_transformer.h"
#include "engine/models/flux/flux_transformer.h"
#include "engine/models/qwen_image/qwen_image_transformer.h"
#include "engine/models/sd3/sd3_transformer.h"
#include "engine/models/wan/wan_transformer.h"

#include <functional>
#include <map>

namespace engine {
namespace {

using TransformerBuilder = std::function<std::unique_ptr<Model>(const contract::JsonConfig&, const TransformerSetup&)>;

template <typename Transformer, typename Config>
std::unique_ptr<Model> buildFromJson(const contract::JsonConfig& json, const TransformerSetup& setup)
{
    Config config = Config::fromJson(json);
    config.wrap = setup.wrap;
    config.sequence = setup.sequence;
    return std::make_unique<Transformer>(config);
}

/// Maps _class_name to its builder.
const std::map<std::string, TransformerBuilder>& transformers()
{
    static const std::map<std::string, TransformerBuilder> known = {
        {"DiTTransformer2DModel", buildFromJson<DitTransformer, DitTransformerConfig>},
        {"FluxTransformer2DModel", buildFromJson<FluxTransformer, FluxConfig>},
        {"QwenImageTransformer2DModel", buildFromJson<QwenImageTransformer, QwenImageConfig>},
        {"SD3Transformer2DModel", buildFromJson<Sd3Transformer, Sd3Config>},
        {"WanTransformer3DModel", buildFromJson<WanTransformer, WanConfig>},
    };
    return known;
}

}  // namespace

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
        "model.name = \"" + name + "\" is not supported; supported: dit");
}

std::unique_ptr<Model> buildTransformer(const contract::JsonConfig& config, const TransformerSetup& setup)
{
    const std::string name = config.text("_class_name");
    if (const auto found = transformers().find(name); found != transformers().end())
        return found->second(config, setup);
    std::string known;
    for (const auto& [each, builder] : transformers())
        known += (known.empty() ? "" : ", ") + each;
    config.fail("_class_name", "is " + contract::inQuotes(contract::shortened(name, 80)) + ", which is not supported; supported: " + known);
}

}  // namespace engine

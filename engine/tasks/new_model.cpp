#include "engine/tasks/new_model.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/safetensors.h"
#include "engine/models/registry.h"
#include "engine/pipeline/hashed_words.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace engine {
namespace {

using nlohmann::json;

constexpr std::int64_t kColourChannels = 3;

json transformerConfig(const contract::Experiment& experiment)
{
    const std::int64_t width = experiment.integer("model.width"), heads = experiment.integer("model.heads");
    const std::int64_t patch = experiment.integer("model.patch"), edge = experiment.integer("data.resolution") / patch;
    const double longest = std::ceil(static_cast<double>(edge) * std::sqrt(experiment.real("data.max_ratio")));
    return {{"_class_name", "SD3Transformer2DModel"}, {"sample_size", experiment.integer("data.resolution")}, {"patch_size", patch},
        {"in_channels", kColourChannels}, {"out_channels", kColourChannels}, {"num_layers", experiment.integer("model.depth")},
        {"num_attention_heads", heads}, {"attention_head_dim", width / heads}, {"joint_attention_dim", HashedWords::kWidth},
        {"caption_projection_dim", width}, {"pooled_projection_dim", HashedWords::kWidth},
        {"pos_embed_max_size", static_cast<std::int64_t>(longest)}, {"qk_norm", "rms_norm"}};
}

void writeJson(const std::filesystem::path& file, const json& value)
{
    std::filesystem::create_directories(file.parent_path());
    contract::writeFileAtomically(file, contract::jsonText(value, 4) + "\n");
}

void writeBuffers(const std::filesystem::path& component)
{
    const auto model = buildTransformer(contract::JsonConfig(component / "config.json"));
    std::vector<contract::SafetensorsTensor> entries;
    const auto buffers = model->buffers();
    for (const ModelBuffer& buffer : buffers)
        entries.push_back({buffer.name, "F32", buffer.values.sizes().vec()});
    contract::SafetensorsWriter writer(component / "diffusion_pytorch_model.safetensors", entries, {{"format", "pt"}});
    for (const ModelBuffer& buffer : buffers) {
        const at::Tensor values = buffer.values.to(at::kFloat).contiguous();
        writer.write(values.const_data_ptr(), values.nbytes());
    }
    writer.finish();
}

}  // namespace

void describeNewModel(const contract::Experiment& experiment, const std::filesystem::path& folder)
{
    writeJson(folder / "transformer" / "config.json", transformerConfig(experiment));
    writeBuffers(folder / "transformer");
    writeJson(folder / "scheduler" / "scheduler_config.json",
        {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"num_train_timesteps", 1000}, {"shift", experiment.real("flow.shift")}});
    writeJson(folder / "model_index.json",
        {{"_class_name", "AtelierPixelPipeline"}, {"scheduler", {"diffusers", "FlowMatchEulerDiscreteScheduler"}},
            {"transformer", {"diffusers", "SD3Transformer2DModel"}}});
}

}  // namespace engine

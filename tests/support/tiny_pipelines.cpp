#include "tests/support/tiny_pipelines.h"

#include "engine/contract/formats/safetensors_set.h"
#include "engine/models/registry.h"
#include "engine/shard/random.h"
#include "tests/paths.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Tensors of a file by name.
struct DrawnTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};
using DrawnTensors = std::map<std::string, DrawnTensor>;

/// Of this tree alone: what is made of these sizes has to fit together.
fs::path goldens() { return ATELIER_SOURCE_DIR "/tests/goldens/models"; }

void writeJson(const fs::path& file, const Json& json)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << json.dump(2);
}

void writeTensors(const fs::path& file, const DrawnTensors& tensors)
{
    std::vector<contract::SafetensorsTensor> header;
    for (const auto& [name, tensor] : tensors)
        header.push_back({name, "F32", tensor.shape});
    contract::SafetensorsWriter writer(file, header, {{"format", "pt"}});
    for (const auto& [name, tensor] : tensors)
        writer.write(tensor.values.data(), tensor.values.size() * sizeof(float));
    writer.finish();
}

/// Values near 0, except the weights of norms, which are near 1.
DrawnTensor drawn(const std::string& name, const std::vector<std::int64_t>& shape, std::uint64_t seed)
{
    std::size_t count = 1;
    for (const std::int64_t size : shape)
        count *= static_cast<std::size_t>(size);
    DrawnTensor tensor {shape, std::vector<float>(count)};
    engine::fillNormal({tensor.values.data(), count}, {.seed = seed, .purpose = name, .step = 0, .row = 0});
    const bool isNorm = shape.size() == 1 && name.ends_with("weight");
    for (float& value : tensor.values)
        value = value * 0.15F + (isNorm ? 1.0F : 0.0F);
    return tensor;
}

void makeTransformer(const fs::path& folder, const Json& config, std::uint64_t seed)
{
    writeJson(folder / "config.json", config);
    DrawnTensors tensors;
    for (const auto& unit : engine::buildTransformer(contract::JsonConfig(folder / "config.json"))->units()) {
        for (const auto& parameter : unit.parameters)
            tensors.emplace(parameter.name, drawn(parameter.name, parameter.shape, seed));
    }
    writeTensors(folder / "diffusion_pytorch_model.safetensors", tensors);
}

Json configOf(const fs::path& folder)
{
    std::ifstream stream(folder / "config.json");
    return Json::parse(stream);
}

fs::path emptyFolder(const fs::path& folder)
{
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

void copyComponent(const fs::path& from, const fs::path& to) { fs::copy(from, to, fs::copy_options::recursive); }

/// The golden encoder with the vocabulary size of T5's tokenizer.
void makeUmt5(const fs::path& folder)
{
    constexpr std::int64_t kWords = 303;
    copyComponent(goldens() / "umt5" / "model", folder);
    Json config = configOf(folder);
    config["vocab_size"] = kWords;
    writeJson(folder / "config.json", config);
    DrawnTensors tensors;
    {
        const contract::SafetensorsSet golden(folder / "model.safetensors");
        for (const auto& [name, item] : golden.items()) {
            DrawnTensor tensor {item.tensor->shape, std::vector<float>(item.tensor->elements())};
            item.file->read(*item.tensor, 0, tensor.values.data(), item.tensor->bytes());
            tensors.emplace(name, std::move(tensor));
        }
    }
    const std::int64_t width = tensors.at("shared.weight").shape.at(1);
    DrawnTensor words = drawn("shared.weight", {kWords, width}, 3);
    for (float& value : words.values)
        value *= 7;
    tensors["shared.weight"] = std::move(words);
    writeTensors(folder / "model.safetensors", tensors);
}

}  // namespace

fs::path makeFluxFolder(const fs::path& root, bool isDistilled)
{
    const fs::path folder = emptyFolder(root / (isDistilled ? "flux-dev" : "flux-schnell")), sd3 = goldens() / "pipeline_sd3" / "pipeline";
    copyComponent(sd3 / "text_encoder", folder / "text_encoder");
    Json clip = configOf(folder / "text_encoder");
    clip["architectures"] = Json::array({"CLIPTextModel"});
    writeJson(folder / "text_encoder" / "config.json", clip);
    copyComponent(sd3 / "tokenizer", folder / "tokenizer");
    copyComponent(sd3 / "text_encoder_3", folder / "text_encoder_2");
    copyComponent(sd3 / "tokenizer_3", folder / "tokenizer_2");
    copyComponent(sd3 / "vae", folder / "vae");
    writeJson(folder / "scheduler" / "scheduler_config.json",
        {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"num_train_timesteps", 1000}, {"shift", isDistilled ? 3.0 : 1.0},
            {"use_dynamic_shifting", isDistilled}, {"base_shift", 0.5}, {"max_shift", 1.15}, {"base_image_seq_len", 256},
            {"max_image_seq_len", 4096}});
    makeTransformer(folder / "transformer",
        {{"_class_name", "FluxTransformer2DModel"}, {"patch_size", 1}, {"in_channels", 64}, {"num_layers", 1}, {"num_single_layers", 2},
            {"attention_head_dim", 16}, {"num_attention_heads", 2}, {"joint_attention_dim", configOf(folder / "text_encoder_2").at("d_model")},
            {"pooled_projection_dim", clip.at("hidden_size")}, {"guidance_embeds", isDistilled}, {"axes_dims_rope", {4, 6, 6}}},
        1);
    writeJson(folder / "model_index.json",
        {{"_class_name", "FluxPipeline"}, {"_diffusers_version", "0.42.1"}, {"scheduler", {"diffusers", "FlowMatchEulerDiscreteScheduler"}},
            {"text_encoder", {"transformers", "CLIPTextModel"}}, {"text_encoder_2", {"transformers", "T5EncoderModel"}},
            {"tokenizer", {"transformers", "CLIPTokenizer"}}, {"tokenizer_2", {"transformers", "T5Tokenizer"}},
            {"transformer", {"diffusers", "FluxTransformer2DModel"}}, {"vae", {"diffusers", "AutoencoderKL"}},
            {"image_encoder", {nullptr, nullptr}}, {"feature_extractor", {nullptr, nullptr}}});
    return folder;
}

fs::path makeWanFolder(const fs::path& root, int experts)
{
    const fs::path folder = emptyFolder(root / (experts == 2 ? "wan-experts" : "wan"));
    makeUmt5(folder / "text_encoder");
    copyComponent(goldens() / "pipeline_sd3" / "pipeline" / "tokenizer_3", folder / "tokenizer");
    copyComponent(goldens() / "autoencoder_kl_wan" / "model", folder / "vae");
    Json vae = configOf(folder / "vae");
    vae["scale_factor_spatial"] = 4;  // of its three levels
    writeJson(folder / "vae" / "config.json", vae);
    writeJson(folder / "scheduler" / "scheduler_config.json",
        {{"_class_name", "UniPCMultistepScheduler"}, {"num_train_timesteps", 1000}, {"prediction_type", "flow_prediction"},
            {"use_flow_sigmas", true}, {"flow_shift", 3.0}, {"solver_order", 2}, {"solver_type", "bh2"}, {"lower_order_final", true},
            {"predict_x0", true}, {"final_sigmas_type", "zero"}, {"disable_corrector", Json::array()}});
    const Json transformer = {{"_class_name", "WanTransformer3DModel"}, {"patch_size", {1, 2, 2}}, {"num_attention_heads", 2},
        {"attention_head_dim", 16}, {"in_channels", vae.at("z_dim")}, {"out_channels", vae.at("z_dim")},
        {"text_dim", configOf(folder / "text_encoder").at("d_model")}, {"freq_dim", 32}, {"ffn_dim", 48}, {"num_layers", 2},
        {"cross_attn_norm", true}, {"qk_norm", "rms_norm_across_heads"}, {"eps", 1e-6}, {"rope_max_seq_len", 64}};
    Json index = {{"_class_name", "WanPipeline"}, {"_diffusers_version", "0.42.1"}, {"scheduler", {"diffusers", "UniPCMultistepScheduler"}},
        {"text_encoder", {"transformers", "UMT5EncoderModel"}}, {"tokenizer", {"transformers", "T5Tokenizer"}},
        {"transformer", {"diffusers", "WanTransformer3DModel"}}, {"vae", {"diffusers", "AutoencoderKLWan"}}};
    makeTransformer(folder / "transformer", transformer, 1);
    if (experts == 2) {
        makeTransformer(folder / "transformer_2", transformer, 2);
        index["transformer_2"] = Json::array({"diffusers", "WanTransformer3DModel"});
        index["boundary_ratio"] = 0.875;
    }
    writeJson(folder / "model_index.json", index);
    return folder;
}

fs::path makeEditTransformer(const fs::path& root, bool isTimeless)
{
    const fs::path folder = emptyFolder(root / (isTimeless ? "edit-timeless" : "edit"));
    makeTransformer(folder,
        {{"_class_name", "QwenImageTransformer2DModel"}, {"patch_size", 2}, {"in_channels", 16}, {"out_channels", 4}, {"num_layers", 2},
            {"attention_head_dim", 16}, {"num_attention_heads", 4}, {"joint_attention_dim", 24}, {"axes_dims_rope", {4, 6, 6}},
            {"zero_cond_t", isTimeless}},
        4);
    return folder;
}

}  // namespace tests

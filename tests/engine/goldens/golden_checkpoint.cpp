#include "tests/engine/goldens/golden_checkpoint.h"

#include "engine/contract/adapters/adapter_export.h"

#include <cstring>

namespace fs = std::filesystem;
using contract::SafetensorsSet;
using Json = nlohmann::json;

namespace tests {

TransformerCase::TransformerCase(const fs::path& folder)
    : path(folder)
    , json(caseJson(path))
    , base(path / json.at("model").get<std::string>())
{
    for (const auto& [name, item] : base.items()) {
        names.push_back(name);
        if (name.ends_with(".weight") && item.tensor->shape.size() == 2)
            modules.push_back(name.substr(0, name.size() - std::strlen(".weight")));
    }
}

bool isTable(const std::string& name) { return name == "pos_embed.pos_embed"; }

void writeCheckpoint(const TransformerCase& golden, const fs::path& folder)
{
    contract::CheckpointManifest manifest;
    const auto take = [&](const SafetensorsSet::Item& item, const std::string& name) {
        const std::string file = item.file->path().filename().string();
        fs::copy_file(item.file->path(), folder / file, fs::copy_options::skip_existing);
        manifest.fileBytes[file] = fs::file_size(folder / file);
        manifest.tensors.push_back({"model/" + name, item.tensor->dtype, item.tensor->shape, {{file, item.tensor->offset, 0, item.tensor->elements()}}});
    };
    for (const auto& [name, item] : golden.base.items()) {
        if (!isTable(name))
            take(item, name);
    }
    if (golden.hasAdapter()) {
        const Json& adapter = golden.json.at("adapter");
        manifest.modelOptions = {{"lora.alpha", adapter.at("lora_alpha").dump()}, {"lora.rslora", adapter.at("use_rslora").dump()}};
        const SafetensorsSet matrices(golden.path / "peft" / "adapter_model.safetensors");
        for (const auto& [name, item] : matrices.items()) {
            const std::string own = name.substr(std::strlen("base_model.model."));
            for (const char* each : {"default", "old"})
                take(item, own.substr(0, own.size() - std::strlen("weight")) + each + ".weight");
        }
    }
    contract::writeManifest(folder, manifest);
}

void writeAdapterCheckpoint(const TransformerCase& golden, const std::vector<std::string>& modules, const fs::path& folder)
{
    std::vector<contract::AdapterFile::Layer> layers;
    std::vector<contract::SafetensorsTensor> tensors;
    for (const std::string& module : modules) {
        const bool isOdd = layers.size() % 2 == 1;
        layers.push_back({module, isOdd ? 2 : 4, isOdd ? 0.5 : 2.0});
        const auto& shape = golden.base.find(module + ".weight")->tensor->shape;
        tensors.push_back({module + ".lora_A.default.weight", "F32", {layers.back().rank, shape[1]}});
        tensors.push_back({module + ".lora_B.default.weight", "F32", {shape[0], layers.back().rank}});
    }
    const fs::path file = folder / "rank-0.safetensors";
    contract::SafetensorsWriter writer(file, tensors, {});
    std::uint32_t number = 1;
    for (const contract::SafetensorsTensor& tensor : tensors) {
        std::vector<float> values(tensor.elements());
        for (float& value : values) {
            number = number * 1664525 + 1013904223;
            value = (static_cast<float>(number >> 16) / 65536 - 0.5F) / 4;
        }
        writer.write(values.data(), values.size() * sizeof(float));
    }
    writer.finish();
    contract::CheckpointManifest manifest;
    manifest.modelOptions = contract::adapterOptions(layers, false);
    manifest.fileBytes["rank-0.safetensors"] = fs::file_size(file);
    const contract::SafetensorsFile written(file);
    for (const contract::SafetensorsTensor& tensor : written.tensors())
        manifest.tensors.push_back({"model/" + tensor.name, tensor.dtype, tensor.shape, {{"rank-0.safetensors", tensor.offset, 0, tensor.elements()}}});
    contract::writeManifest(folder, manifest);
}

}  // namespace tests

// One rank that makes a Stable Diffusion 3 transformer's folder, or loads one into its shards and tells how long that took
// and how much memory. Started as torchrun starts ranks; rank 0 prints one line of JSON.
#include "engine/comm/rendezvous.h"
#include "engine/contract/formats/sharded_export.h"
#include "engine/models/registry.h"
#include "engine/shard/squares.h"
#include "engine/tasks/folder_weights.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr char kConfig[] = R"({"_class_name": "SD3Transformer2DModel", "sample_size": 64, "patch_size": 2, "in_channels": 16, "num_layers": 12,
    "attention_head_dim": 64, "num_attention_heads": 24, "joint_attention_dim": 4096, "caption_projection_dim": 1536,
    "pooled_projection_dim": 2048, "out_channels": 16, "pos_embed_max_size": 96, "dual_attention_layers": [], "qk_norm": "rms_norm"})";

/// A line of /proc/self/status: "VmHWM", "VmRSS".
double statusBytes(const std::string& name)
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":"))
            return std::stod(line.substr(name.size() + 1)) * 1024;
    }
    throw std::runtime_error("/proc/self/status has no " + name);
}

/// Numbers between 1/128 and 1/32 of either sign, in bfloat16.
contract::ExportedTensor randomTensor(const engine::ParameterSpec& parameter)
{
    return {{parameter.name, "BF16", parameter.shape}, [number = std::uint32_t {1}](std::uint64_t, void* into, std::uint64_t bytes) mutable {
                auto* const out = static_cast<std::uint16_t*>(into);
                for (std::uint64_t i = 0; i < bytes / 2; ++i) {
                    number = number * 1664525 + 1013904223;
                    out[i] = static_cast<std::uint16_t>((number >> 16 & 0x8000) | 0x3c00 | (number >> 16 & 0x00ff));
                }
            }};
}

void make(const fs::path& folder)
{
    std::ofstream(folder / "config.json") << kConfig;
    const auto model = engine::buildTransformer(contract::JsonConfig(folder / "config.json"));
    std::vector<contract::ExportedTensor> tensors;
    for (const engine::UnitSpec& unit : model->units())
        for (const engine::ParameterSpec& parameter : unit.parameters)
            tensors.push_back(randomTensor(parameter));
    for (const engine::ModelBuffer& buffer : model->buffers())
        tensors.push_back({{buffer.name, "F32", buffer.values.sizes().vec()}, [values = buffer.values](std::uint64_t begin, void* into, std::uint64_t bytes) {
                               std::memcpy(into, static_cast<const char*>(values.const_data_ptr()) + begin, bytes);
                           }});
    contract::writeWeights(folder, tensors, {.maxFileBytes = 1'000'000'000});
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> options = {{"folder", ""}, {"task", "load"}};
    for (int i = 1; i + 1 < argc; i += 2)
        options[std::string(argv[i]).substr(2)] = argv[i + 1];
    const fs::path folder = options["folder"];
    if (options["task"] == "make") {
        make(folder);
        return 0;
    }
    at::set_num_threads(1);
    const engine::RankIdentity identity = engine::rankFromEnvironment();
    const auto mesh = engine::joinRanks(identity, {.world = identity.worldSize, .shard = identity.worldSize}, nullptr,
        {engine::Exchange::Automatic, std::chrono::seconds(300)});
    engine::Group& group = mesh->world();

    group.barrier("before loading");
    const auto start = std::chrono::steady_clock::now();
    const auto model = engine::buildTransformer(contract::JsonConfig(folder / "config.json"));
    engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(model->units(), group, pool, {.keepsAverage = false}, {}, std::nullopt);
    engine::loadFolderWeights(*model, units, *mesh, folder);
    group.barrier("after loading");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    const at::Tensor peaks = at::zeros({group.size() + 1}, at::kDouble);
    peaks[group.rank()] = statusBytes("VmHWM");
    for (std::size_t i = 0; i < units.size(); ++i)
        peaks[group.size()] += engine::sumOfSquares(units[i].master);
    group.allReduceSum(peaks, "readings");
    const double* const values = peaks.const_data_ptr<double>();
    if (identity.rank == 0)
        std::printf("%s\n", nlohmann::json({{"seconds", seconds}, {"peak", *std::max_element(values, values + group.size())}, {"squares", values[group.size()]}}).dump().c_str());
    group.barrier("at the end");
    return 0;
}

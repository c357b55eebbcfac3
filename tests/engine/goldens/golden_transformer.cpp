#include "tests/engine/goldens/golden_transformer.h"

#include <ATen/ATen.h>

#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/adapters/adapter_names.h"
#include "engine/contract/formats/json_config.h"

#include <set>
#include <stdexcept>

namespace tests {
namespace {

namespace fs = std::filesystem;

at::Tensor inputOrNone(const ModelCase& golden, const std::string& name)
{
    return golden.hasInput(name) ? golden.input(name) : at::Tensor();
}

/// "M.lora_A.default.weight" is "M.lora_A.weight" in a case.
std::string nameInCase(const std::string& name)
{
    const std::string own = ".default.weight";
    return name.ends_with(own) ? name.substr(0, name.size() - own.size()) + ".weight" : name;
}

contract::AdapterTargets targetsOf(const nlohmann::json& targets)
{
    return targets.is_string() ? contract::AdapterTargets::ofText(targets.get<std::string>())
                               : contract::AdapterTargets::ofList(targets.get<std::vector<std::string>>());
}

/// 0 where latents are no squares.
std::int64_t rowsOfSquares(const ModelCase& golden)
{
    if (golden.hasInput("img_shapes"))
        return golden.input("img_shapes")[0][1].item<std::int64_t>();
    if (golden.hasInput("img_ids"))
        return static_cast<std::int64_t>(golden.input("img_ids").select(1, 1).max().item<float>()) + 1;
    return 0;
}

}  // namespace

GoldenAdapter readGoldenAdapter(const fs::path& folder, const fs::path& file, const nlohmann::json& config)
{
    const auto units = engine::buildTransformer(contract::JsonConfig(folder / "config.json"))->units();
    const auto modules = engine::linearModules(units);
    contract::AdapterConfig adapter;
    adapter.rank = config.at("r");
    adapter.alpha = config.at("lora_alpha");
    adapter.usesRslora = config.value("use_rslora", false);
    adapter.targets = targetsOf(config.at("target_modules"));
    GoldenAdapter result;
    for (const std::string& module : contract::matchedModules(modules, adapter.targets, adapter.excluded))
        result.layers.push_back({module, adapter.rank, adapter.scale(module)});
    const auto tensors = tensorsOf(file);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors)
        names.push_back(name);
    for (const auto& [which, name] : contract::readAdapterNames(names, modules).tensors)
        result.matrices[which.module + (which.part == contract::AdapterPart::A ? ".lora_A.weight" : ".lora_B.weight")] = tensors.at(name);
    return result;
}

GoldenTransformer::GoldenTransformer(const fs::path& folder, engine::Group& group, const GoldenOptions& options)
    : m_group(group)
    , m_pool(group, device())
    , m_model(engine::buildTransformer(contract::JsonConfig(folder / "config.json"), options.setup))
{
    declare(options);
    load(folder, options);
}

void GoldenTransformer::declare(const GoldenOptions& options)
{
    auto specs = m_model->units();
    const bool isAdapted = !options.adapter.layers.empty();
    if (isAdapted)
        engine::declareAdapters(specs, options.adapter.layers, {"default"});
    for (engine::UnitSpec& spec : specs) {
        for (engine::ParameterSpec& parameter : spec.parameters)
            parameter.isDecayed |= options.decaysAll;
    }
    m_units = std::make_unique<engine::UnitSequence>(
        std::move(specs), m_group, m_pool, engine::UnitOptions {.computeDtype = options.computeDtype}, options.sequence, std::nullopt);
    for (engine::Unit* unit : m_units->parts()) {
        for (std::size_t i = 0; i < unit->spec().parameters.size(); ++i)
            m_places[nameInCase(unit->spec().parameters[i].name)] = {unit, i};
    }
    if (isAdapted)
        m_adapters = std::make_unique<engine::Adapters>(*m_units, options.adapter.layers, std::vector<std::string> {"default"});
}

void GoldenTransformer::load(const fs::path& folder, const GoldenOptions& options)
{
    std::set<std::string> missing;
    for (const auto& [name, place] : m_places)
        missing.insert(name);
    const auto take = [&](const std::string& name, const at::Tensor& tensor) {
        const auto place = m_places.find(name);
        if (place == m_places.end())
            m_model->setBuffer({name, tensor});
        else
            place->second.unit->setMaster(place->second.index, tensor.to(at::kFloat));
        missing.erase(name);
    };
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".safetensors")
            continue;
        for (const auto& [name, tensor] : tensorsOf(entry.path()))
            take(name, tensor);
    }
    for (const auto& [name, tensor] : options.adapter.matrices)
        take(name, tensor);
    if (!missing.empty())
        throw std::runtime_error(folder.string() + " has no " + *missing.begin());
}

std::vector<std::string> GoldenTransformer::trained() const
{
    std::vector<std::string> names;
    for (const auto& [name, place] : m_places) {
        if (place.unit->spec().parameters[place.index].isTrained)
            names.push_back(name);
    }
    return names;
}

void GoldenTransformer::setWeight(const std::string& name, const at::Tensor& whole)
{
    const Place& place = m_places.at(name);
    place.unit->setMaster(place.index, whole);
    m_units->reshardAll();
}

at::Tensor GoldenTransformer::gathered(const std::string& name, at::Tensor engine::Unit::*shard) const
{
    const Place& place = m_places.at(name);
    const engine::Unit& unit = *place.unit;
    const at::Tensor whole = at::zeros(unit.spec().parameters[place.index].shape, device());
    for (const engine::LayoutPiece& piece : unit.pieces()) {
        if (piece.tensor == place.index)
            whole.view({-1}).narrow(0, piece.tensorBegin, piece.count).copy_((unit.*shard).narrow(0, piece.shardBegin, piece.count));
    }
    m_group.allReduceSum(whole, name);
    return whole;
}

at::Tensor imageOf(const ModelCase& golden, const at::Tensor& latents)
{
    const std::int64_t rows = rowsOfSquares(golden);
    if (rows == 0)
        return latents;
    const std::int64_t batch = latents.size(0), columns = latents.size(1) / rows, channels = latents.size(2) / 4;
    return latents.reshape({batch, rows, columns, channels, 2, 2})
        .permute({0, 3, 1, 4, 2, 5})
        .reshape({batch, channels, 2 * rows, 2 * columns});
}

at::Tensor squaresOf(const ModelCase& golden, const at::Tensor& image)
{
    const std::int64_t rows = rowsOfSquares(golden);
    if (rows == 0)
        return image;
    const std::int64_t batch = image.size(0), channels = image.size(1), columns = image.size(3) / 2;
    return image.reshape({batch, channels, rows, 2, columns, 2})
        .permute({0, 2, 4, 1, 3, 5})
        .reshape({batch, rows * columns, 4 * channels});
}

engine::ModelInput modelInputOf(const ModelCase& golden)
{
    const at::Tensor mask = inputOrNone(golden, "encoder_hidden_states_mask");
    return {.latents = imageOf(golden, golden.input("hidden_states")),
        .sigmas = {},
        .labels = inputOrNone(golden, "class_labels"),
        .prompt = inputOrNone(golden, "encoder_hidden_states"),
        .promptMask = mask.defined() ? mask.to(at::kBool) : mask,
        .pooled = inputOrNone(golden, "pooled_projections"),
        .guidance = inputOrNone(golden, "guidance"),
        .timesteps = inputOrNone(golden, "timestep")};
}

}  // namespace tests

#include "engine/lora/adapters.h"

#include "engine/comm/errors.h"
#include "engine/lora/orthogonal_matrices.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr std::string_view kWeight = ".weight";

std::string matrixName(const std::string& module, const char* matrix, const std::string& adapter)
{
    return module + "." + matrix + "." + adapter + std::string(kWeight);
}

[[noreturn]] void refuseAdapter(const std::string& sentence)
{
    throw EngineError(EngineError::Kind::WrongUsage, sentence);
}

std::vector<std::string> withoutReference(std::vector<std::string> names)
{
    std::erase(names, kReferenceAdapter);
    return names;
}

/// Sets the initializers of AdapterInit::Orthogonal. @param pair random stream that both matrices share
void setOrthogonalInit(ParameterSpec& down, ParameterSpec& up, const std::string& pair)
{
    const std::int64_t rank = up.shape[1], in = down.shape[1], out = up.shape[0];
    down.initWhole = [=, name = down.name](std::uint64_t seed) {
        return drawOrthogonal({pair, name, OrthogonalHalf::First}, in, rank, seed).t();
    };
    up.initWhole = [=, name = up.name](std::uint64_t seed) { return drawOrthogonal({pair, name, OrthogonalHalf::Second}, out, rank, seed); };
}

/// Adds A and B of @p adapter for one layer to @p unit, which has the layer's weight.
void addMatrices(UnitSpec& unit, const ParameterSpec& base, const AdapterLayer& layer, const std::string& adapter, AdapterInit init, bool isTrained)
{
    ParameterSpec down {.name = matrixName(layer.module, "lora_A", adapter), .shape = {layer.rank, base.shape[1]},
        .isTrained = isTrained, .isOfBlock = base.isOfBlock, .adapter = adapter};
    ParameterSpec up = down;
    up.name = matrixName(layer.module, "lora_B", adapter);
    up.shape = {base.shape[0], layer.rank};
    switch (init) {
    case AdapterInit::Gaussian: down.initStd = 1 / static_cast<double>(layer.rank); break;
    case AdapterInit::Kaiming: down.initBound = 1 / std::sqrt(static_cast<double>(base.shape[1])); break;
    case AdapterInit::Orthogonal: setOrthogonalInit(down, up, layer.module + ".lora." + adapter); break;
    }
    unit.parameters.push_back(std::move(down));
    unit.parameters.push_back(std::move(up));
}

}  // namespace

AdapterInit adapterInitOf(std::string_view name)
{
    if (name == "gaussian")
        return AdapterInit::Gaussian;
    if (name == "kaiming")
        return AdapterInit::Kaiming;
    if (name == "orthogonal")
        return AdapterInit::Orthogonal;
    refuseAdapter("lora.init = \"" + std::string(name) + "\" is not supported; supported: gaussian, kaiming, orthogonal");
}

std::vector<std::string> linearModules(const std::vector<UnitSpec>& units)
{
    std::vector<std::string> modules;
    for (const UnitSpec& unit : units) {
        for (const ParameterSpec& parameter : unit.parameters) {
            if (parameter.isLinear)
                modules.push_back(parameter.name.substr(0, parameter.name.size() - kWeight.size()));
        }
    }
    return modules;
}

void declareAdapters(std::vector<UnitSpec>& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names, AdapterInit init)
{
    const std::vector<std::string> own = withoutReference(names);
    if (layers.empty() || own.empty())
        refuseAdapter("adapters need at least one name other than \"reference\" and at least one linear layer");
    for (UnitSpec& unit : units) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    for (const AdapterLayer& layer : layers) {
        const auto isBaseWeight = [&](const ParameterSpec& parameter) {
            return parameter.isLinear && parameter.name == layer.module + std::string(kWeight);
        };
        const auto unit = std::ranges::find_if(
            units, [&](const UnitSpec& each) { return std::ranges::any_of(each.parameters, isBaseWeight); });
        if (unit == units.end())
            refuseAdapter("the model has no linear layer \"" + layer.module + "\" for an adapter");
        if (init == AdapterInit::Orthogonal && layer.rank % 2 != 0)
            refuseAdapter("lora.init = orthogonal needs an even rank; \""
                + layer.module + "\" has " + std::to_string(layer.rank));
        const ParameterSpec base = *std::ranges::find_if(unit->parameters, isBaseWeight);
        for (const std::string& name : own)
            addMatrices(*unit, base, layer, name, init, name == own.front());
    }
}

Adapters::Adapters(UnitSequence& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names, double dropout)
    : m_names(withoutReference(names))
{
    std::map<std::string, Parameter*> parameters;
    for (Unit* unit : units.parts()) {
        for (std::size_t i = 0; i < unit->spec().parameters.size(); ++i)
            parameters[unit->spec().parameters[i].name] = &unit->ownParameter(i);
    }
    for (const AdapterLayer& layer : layers) {
        m_layers.push_back({parameters.at(layer.module + std::string(kWeight)), layer.scale});
        for (const std::string& name : m_names)
            m_terms[name].push_back({parameters.at(matrixName(layer.module, "lora_A", name)),
                parameters.at(matrixName(layer.module, "lora_B", name)), layer.scale, layer.module, dropout});
    }
    use(m_names.front());
}

void Adapters::use(const std::optional<std::string>& name)
{
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        m_layers[i].weight->lowRank = name ? &m_terms.at(*name)[i] : nullptr;
    m_selected = name;
}

void Adapters::setWeight(double weight)
{
    for (auto& [name, terms] : m_terms) {
        for (std::size_t i = 0; i < terms.size(); ++i)
            terms[i].scale = m_layers[i].scale * weight;
    }
}

Adapters::Scope::Scope(Adapters& adapters, std::optional<std::string> name)
    : m_adapters(adapters)
    , m_previous(adapters.m_selected)
{
    if (name == kReferenceAdapter)
        name.reset();
    if (name && !adapters.m_terms.contains(*name)) {
        std::string known;
        for (const std::string& each : adapters.m_names)
            known += each + ", ";
        refuseAdapter("there is no adapter \"" + *name + "\"; known adapters: " + known + kReferenceAdapter);
    }
    adapters.use(name);
}

}  // namespace engine

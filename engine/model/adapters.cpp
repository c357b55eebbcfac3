#include "engine/model/adapters.h"

#include "engine/comm/errors.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

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

}  // namespace

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

void declareAdapters(
    std::vector<UnitSpec>& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names)
{
    if (layers.empty() || names.empty())
        refuseAdapter("an adapter needs a name and at least one linear layer to stand beside");
    for (UnitSpec& unit : units) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    for (const AdapterLayer& layer : layers) {
        const auto isIt = [&](const ParameterSpec& parameter) {
            return parameter.isLinear && parameter.name == layer.module + std::string(kWeight);
        };
        const auto unit = std::ranges::find_if(units, [&](const UnitSpec& each) { return std::ranges::any_of(each.parameters, isIt); });
        if (unit == units.end())
            refuseAdapter("the model has no linear layer \"" + layer.module + "\" for an adapter");
        const ParameterSpec base = *std::ranges::find_if(unit->parameters, isIt);
        for (const std::string& name : names) {
            const auto add = [&](const char* matrix, std::vector<std::int64_t> shape, double std) {
                unit->parameters.push_back({.name = matrixName(layer.module, matrix, name), .shape = std::move(shape),
                    .initStd = std, .isTrained = name == names.front(), .isOfBlock = base.isOfBlock});
            };
            add("lora_A", {layer.rank, base.shape[1]}, 1.0 / static_cast<double>(layer.rank));
            add("lora_B", {base.shape[0], layer.rank}, 0);
        }
    }
}

Adapters::Adapters(UnitSequence& units, const std::vector<AdapterLayer>& layers, std::vector<std::string> names)
    : m_units(units)
    , m_names(std::move(names))
{
    std::map<std::string, Place> places;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const auto& parameters = units[unit].spec().parameters;
        for (std::size_t index = 0; index < parameters.size(); ++index)
            places[parameters[index].name] = {unit, index};
    }
    for (const AdapterLayer& layer : layers) {
        Layer& mine = m_layers.emplace_back();
        mine.weight = places.at(layer.module + std::string(kWeight));
        mine.scale = layer.scale;
        for (const std::string& name : m_names) {
            const Place down = places.at(matrixName(layer.module, "lora_A", name)), up = places.at(matrixName(layer.module, "lora_B", name));
            mine.matrices[name] = {down, up};
            m_terms[name].push_back({&at(down), &at(up), layer.scale});
        }
    }
    use(m_names.front());
}

void Adapters::use(const std::optional<std::string>& name)
{
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        at(m_layers[i].weight).lowRank = name ? &m_terms.at(*name)[i] : nullptr;
    m_selected = name;
}

void Adapters::setWeight(double weight)
{
    for (auto& [name, terms] : m_terms) {
        for (std::size_t i = 0; i < terms.size(); ++i)
            terms[i].scale = m_layers[i].scale * weight;
    }
}

void Adapters::require(const std::string& name) const
{
    if (m_terms.contains(name))
        return;
    std::string known;
    for (const std::string& each : m_names)
        known += (known.empty() ? "" : ", ") + each;
    refuseAdapter("there is no adapter \"" + name + "\"; there are: " + known);
}

Adapters::Scope::Scope(Adapters& adapters, std::optional<std::string> name)
    : m_adapters(adapters)
    , m_before(adapters.m_selected)
{
    if (name)
        adapters.require(*name);
    adapters.use(name);
}

void Adapters::average(const std::string& source, const std::string& target, double decay, Group& shard)
{
    require(source);
    require(target);
    if (!(decay >= 0 && decay <= 1))
        refuseAdapter("an average's decay = " + std::to_string(decay) + " must be from 0 to 1");
    for (const Layer& layer : m_layers) {
        const auto& [fromDown, fromUp] = layer.matrices.at(source);
        const auto& [toDown, toUp] = layer.matrices.at(target);
        averageOne(fromDown, toDown, decay, shard);
        averageOne(fromUp, toUp, decay, shard);
    }
    for (std::size_t i = 0; i < m_units.size(); ++i)
        m_units[i].masterReplaced();
}

void Adapters::averageOne(Place source, Place target, double decay, Group& shard)
{
    const auto forPieces = [&](Place place, auto body) {
        Unit& unit = m_units[place.unit];
        for (const LayoutPiece& piece : unit.pieces()) {
            if (piece.tensor == place.index)
                body(unit.master.narrow(0, piece.shardBegin, piece.count), piece);
        }
    };
    // What one rank has of the source may be another's of the target; the matrices are small.
    const Unit& unit = m_units[source.unit];
    const at::Tensor whole = at::zeros({unit.spec().parameters[source.index].elements()}, unit.master.options());
    forPieces(source, [&](const at::Tensor& values, const LayoutPiece& piece) {
        whole.narrow(0, piece.tensorBegin, piece.count).copy_(values);
    });
    shard.allReduceSum(whole, "an adapter");
    forPieces(target, [&](const at::Tensor& values, const LayoutPiece& piece) {
        values.lerp_(whole.narrow(0, piece.tensorBegin, piece.count), 1 - decay);
    });
}

}  // namespace engine

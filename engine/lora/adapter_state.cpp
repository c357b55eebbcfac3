#include "engine/lora/adapter_state.h"

#include "engine/comm/errors.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace engine {
namespace {

[[noreturn]] void refuseState(const std::string& sentence) { throw EngineError(EngineError::Kind::WrongUsage, sentence); }

/// The parts of the units that hold the adapter. Such a part holds no other parameters.
std::vector<Unit*> partsOfAdapter(UnitSequence& units, const std::string& adapter)
{
    std::vector<Unit*> parts;
    for (Unit* unit : units.parts()) {
        if (unit->spec().parameters.front().adapter == adapter)
            parts.push_back(unit);
    }
    return parts;
}

std::size_t matricesIn(const std::vector<Unit*>& parts)
{
    return std::transform_reduce(parts.begin(), parts.end(), std::size_t {0}, std::plus<>(),
        [](const Unit* unit) { return unit->spec().parameters.size(); });
}

std::string adapterNames(UnitSequence& units)
{
    std::set<std::string> names;
    for (const Unit* unit : units.parts())
        names.insert(unit->spec().parameters.front().adapter);
    std::string text;
    for (const std::string& name : names) {
        if (!name.empty())
            text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

/// The parts of @p source and @p target, paired unit by unit.
std::vector<std::pair<Unit*, Unit*>> pairsOf(UnitSequence& units, const std::string& source, const std::string& target)
{
    const auto from = partsOfAdapter(units, source), to = partsOfAdapter(units, target);
    const auto isAlike = [](const Unit* one, const Unit* other) {
        return one->layout().offsets == other->layout().offsets && one->layout().shardLength == other->layout().shardLength;
    };
    if (from.empty() || !std::ranges::equal(from, to, isAlike))
        refuseState("the adapter \"" + target + "\" cannot follow \"" + source + "\": they have "
            + std::to_string(matricesIn(to)) + " and " + std::to_string(matricesIn(from))
            + " matrices; known adapters: " + adapterNames(units));
    std::vector<std::pair<Unit*, Unit*>> pairs;
    std::ranges::transform(from, to, std::back_inserter(pairs), [](Unit* one, Unit* other) { return std::pair(one, other); });
    return pairs;
}

}  // namespace

void copyAdapter(UnitSequence& units, const std::string& source, const std::string& target)
{
    averageAdapter(units, source, target, 0);
}

void averageAdapter(UnitSequence& units, const std::string& source, const std::string& target, double decay)
{
    const auto pairs = pairsOf(units, source, target);
    if (!(decay >= 0 && decay <= 1))
        refuseState("the decay of an adapter's average is " + std::to_string(decay) + ", but must be from 0 to 1");
    for (const auto& [from, to] : pairs) {
        if (decay == 0)
            to->master.copy_(from->master);
        else
            to->master.copy_(to->master.to(at::kFloat).lerp(from->master.to(at::kFloat), 1 - decay));
        to->masterReplaced();
        to->reshard();
    }
}

void visitAdapter(UnitSequence& units, const std::string& adapter, AdapterAccess access,
    const std::function<void(const std::vector<AdapterMatrix>&)>& body, const std::vector<std::string>& prefixes)
{
    std::vector<Unit*> parts = partsOfAdapter(units, adapter);
    if (parts.empty())
        refuseState("there is no adapter \"" + adapter + "\"; known adapters: " + adapterNames(units));
    const auto isFilteredOut = [&](const Unit* unit) {
        return !prefixes.empty()
            && std::ranges::none_of(prefixes, [&](const std::string& prefix) { return unit->name().starts_with(prefix); });
    };
    std::erase_if(parts, isFilteredOut);
    if (parts.empty())
        refuseState("the adapter \"" + adapter + "\" has no matrices in units whose names start with "
            + std::accumulate(std::next(prefixes.begin()), prefixes.end(), prefixes.front(),
                [](const std::string& text, const std::string& prefix) { return text + ", " + prefix; }));
    for (Unit* unit : parts) {
        const at::Tensor whole = unit->wholeMaster();
        std::vector<AdapterMatrix> matrices;
        for (std::size_t i = 0; i < unit->spec().parameters.size(); ++i) {
            const ParameterSpec& parameter = unit->spec().parameters[i];
            matrices.push_back({parameter.name, whole.narrow(0, unit->layout().offsets[i], parameter.elements()).view(parameter.shape)});
        }
        body(matrices);
        if (access == AdapterAccess::Write)
            unit->setWholeMaster(whole);
    }
}

std::optional<AdapterChecksum> checksumOfAdapter(UnitSequence& units, const std::string& adapter)
{
    if (partsOfAdapter(units, adapter).empty())
        return std::nullopt;
    AdapterChecksum checksum;
    visitAdapter(units, adapter, AdapterAccess::Read, [&](const std::vector<AdapterMatrix>& matrices) {
        for (const auto& [name, values] : matrices) {
            std::string& first = name.find(".lora_A.") != std::string::npos ? checksum.firstA : checksum.firstB;
            if (first.empty())
                first = name;
            checksum.last = name;
            checksum.sum += values.to(at::kFloat).sum().item<double>();
            ++checksum.count;
        }
    });
    return checksum;
}

}  // namespace engine

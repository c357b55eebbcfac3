#include "engine/weights/weights_loader.h"

#include "engine/comm/errors.h"
#include "engine/weights/divided_reading.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace engine {
namespace {

/// Fills @p into with elements [begin, begin + into.numel()) of a unit's master shard; leaves parameters not in @p names as is.
void readMaster(const Unit& unit, const WeightsSource& source, const std::set<std::string>& names, std::int64_t begin, const at::Tensor& into)
{
    const std::int64_t end = begin + into.numel();
    for (const LayoutPiece& piece : unit.pieces()) {
        const std::string& name = unit.spec().parameters[piece.tensor].name;
        const std::int64_t from = std::max(begin, piece.shardBegin);
        const std::int64_t to = std::min(end, piece.shardBegin + piece.count);
        if (from < to && names.contains(name))
            source.read(name, piece.tensorBegin + (from - piece.shardBegin), into.narrow(0, from - begin, to - from));
    }
}

bool hasAny(const UnitSpec& unit, const std::set<std::string>& names)
{
    return std::ranges::any_of(unit.parameters, [&names](const ParameterSpec& parameter) { return names.contains(parameter.name); });
}

std::set<std::string> fittingNames(const WeightsSource& source, const LoadReport& report)
{
    const auto all = source.names();
    std::set<std::string> names(all.begin(), all.end());
    std::erase_if(names, [&report](const std::string& name) { return report.unexpected.contains(name) || report.mismatched.contains(name); });
    return names;
}

}  // namespace

LoadReport compareWeights(const std::vector<UnitSpec>& wanted, const WeightsSource& source, const ParameterFilter& filter)
{
    LoadReport report;
    const auto names = source.names();
    report.unexpected.insert(names.begin(), names.end());
    for (const UnitSpec& unit : wanted) {
        for (const ParameterSpec& parameter : unit.parameters) {
            if (filter && !filter(parameter.name))
                continue;
            if (!source.has(parameter.name))
                report.missing.insert(parameter.name);
            else if (source.shape(parameter.name) != parameter.shape || !c10::isFloatingType(source.dtype(parameter.name)))
                report.mismatched.insert(parameter.name);
            report.unexpected.erase(parameter.name);
        }
    }
    return report;
}

LoadReport loadWeights(
    UnitSequence& units, Mesh& mesh, const WeightsSource& source, bool isStrict, const ParameterFilter& filter)
{
    try {
        std::vector<UnitSpec> wanted;
        for (const Unit* unit : units.parts())
            wanted.push_back(unit->spec());
        const LoadReport report = compareWeights(wanted, source, filter);
        const std::set<std::string> fitting = fittingNames(source, report);
        if (isStrict && !report.isExactMatch())
            throw std::runtime_error(source.path().string() + ": " + report.sentence());
        for (Unit* unit : units.parts()) {
            if (!hasAny(unit->spec(), fitting))
                continue;
            readDivided(unit->master, mesh.replicate(), units.arena().device(),
                [&](std::int64_t begin, const at::Tensor& into) { readMaster(*unit, source, fitting, begin, into); });
            if (unit->ema.defined())
                unit->ema.copy_(unit->master);
            unit->masterReplaced();
        }
        return report;
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        throw EngineError(EngineError::Kind::BadCheckpoint, "weights " + firstLine(error));
    }
}

}  // namespace engine

#include "engine/checkpoint/weights_loader.h"

#include "engine/checkpoint/divided_reading.h"
#include "engine/comm/errors.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <stdexcept>

namespace engine {
namespace {

/// Elements [begin, begin + into's) of a unit's master shard.
void readMaster(const Unit& unit, const WeightsSource& source, const LoadReport& report, std::int64_t begin, const at::Tensor& into)
{
    const std::int64_t end = begin + into.numel();
    for (const LayoutPiece& piece : unit.pieces()) {
        const std::string& name = unit.spec().parameters[piece.tensor].name;
        const std::int64_t from = std::max(begin, piece.shardBegin);
        const std::int64_t to = std::min(end, piece.shardBegin + piece.count);
        if (from < to && !report.missing.contains(name) && !report.mismatched.contains(name))
            source.read(name, piece.tensorBegin + (from - piece.shardBegin), into.narrow(0, from - begin, to - from));
    }
}

}  // namespace

LoadReport compareWeights(const std::vector<UnitSpec>& wanted, const WeightsSource& source)
{
    LoadReport report;
    const auto names = source.names();
    report.unexpected.insert(names.begin(), names.end());
    for (const UnitSpec& unit : wanted) {
        for (const ParameterSpec& parameter : unit.parameters) {
            if (!source.has(parameter.name))
                report.missing.insert(parameter.name);
            else if (source.shape(parameter.name) != parameter.shape || !c10::isFloatingType(source.dtype(parameter.name)))
                report.mismatched.insert(parameter.name);
            report.unexpected.erase(parameter.name);
        }
    }
    return report;
}

LoadReport loadWeights(UnitSequence& units, Mesh& mesh, const WeightsSource& source, bool isStrict)
{
    try {
        std::vector<UnitSpec> wanted;
        for (std::size_t i = 0; i < units.size(); ++i)
            wanted.push_back(units[i].spec());
        const LoadReport report = compareWeights(wanted, source);
        if (isStrict && !report.isWhole())
            throw std::runtime_error(source.path().string() + ": " + report.sentence());
        for (std::size_t i = 0; i < units.size(); ++i) {
            Unit& unit = units[i];
            readDivided(unit.master, mesh.replicate(), units.arena().device(),
                [&](std::int64_t begin, const at::Tensor& into) { readMaster(unit, source, report, begin, into); });
            if (unit.ema.defined())
                unit.ema.copy_(unit.master);
            unit.masterReplaced();
        }
        return report;
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        throw EngineError(EngineError::Kind::BadCheckpoint, "weights " + firstLine(error));
    }
}

}  // namespace engine

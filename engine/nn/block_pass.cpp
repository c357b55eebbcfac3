#include "engine/nn/block_pass.h"

#include <algorithm>

namespace engine {

std::vector<Var> runBlocks(Tape& tape, const UnitPlan& plan, std::vector<Var> values, const BlockBody& body)
{
    const auto& places = plan.blocks;
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
        const std::size_t unit = places[begin].unit;
        while (end < places.size() && places[end].unit == unit)
            ++end;
        const auto run = [&plan, body, begin, end](Unit& own, const std::vector<Var>& inputs) {
            std::vector<Var> current = inputs;
            std::size_t changed = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const std::vector<Var> out = body(i, {own, plan.blocks[i].firstParameter}, current);
                std::ranges::copy(out, current.begin());
                changed = std::max(changed, out.size());
            }
            current.resize(changed);
            return current;
        };
        const std::vector<Var> out = unit == 0 ? run(tape.root(), values) : tape.unit(unit, values, run);
        std::ranges::copy(out, values.begin());
    }
    return values;
}

}  // namespace engine

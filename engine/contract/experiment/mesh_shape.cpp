#include "engine/contract/experiment/mesh_shape.h"

#include "engine/contract/formats/text.h"

namespace contract {
namespace {

Problem doesNotDivide(const char* key, const std::string& what, std::int64_t value, int world)
{
    return {key,
        what + " = " + std::to_string(value) + " does not divide the " + std::to_string(world)
            + " ranks: choose a divisor",
        0};
}

}  // namespace

std::vector<int> MeshShape::members(Axis axis, int rank) const
{
    int count = 1, stride = 1;
    switch (axis) {
    case Axis::Shard:
        count = shard;
        break;
    case Axis::Replicate:
        count = replicas();
        stride = shard;
        break;
    case Axis::Data:
        count = data();
        stride = sequence();
        break;
    case Axis::Ring:
        count = ring;
        stride = ulysses;
        break;
    case Axis::Ulysses:
        count = ulysses;
        break;
    case Axis::Reshard:
        count = reshard > 0 ? reshard : 1;
        break;
    }
    std::vector<int> all;
    const int first = rank - rank / stride % count * stride;
    for (int i = 0; i < count; ++i)
        all.push_back(first + i * stride);
    return all;
}

MeshShape meshShape(const Experiment& experiment, int world, std::optional<Problem>& problem)
{
    MeshShape shape {.world = world, .shard = world};
    const std::string& text = experiment.text("engine.shard_size");
    const auto size = parseInteger(text);
    if (text != "all" && text != "auto" && (!size || *size == 0)) {
        problem = Problem {"engine.shard_size",
            "engine.shard_size = " + quotedText(text) + ": must be all, auto or a number of ranks", 0};
        return shape;
    }
    if (size && *size > 0 && *size < world) {
        if (world % *size != 0) {
            problem = doesNotDivide("engine.shard_size", "engine.shard_size", *size, world);
            return shape;
        }
        shape.shard = static_cast<int>(*size);
    }
    if (const std::int64_t group = experiment.integer("engine.reshard_group"); group > 0) {
        if (shape.shard % group != 0)
            problem = Problem {"engine.reshard_group",
                "engine.reshard_group = " + std::to_string(group) + " does not divide the "
                    + std::to_string(shape.shard) + " ranks of a shard group: choose a divisor",
                0};
        else if (group < shape.shard)
            shape.reshard = static_cast<int>(group);
    }
    const std::int64_t ring = experiment.integer("engine.ring"), ulysses = experiment.integer("engine.ulysses");
    if (world % ulysses != 0)
        problem = doesNotDivide("engine.ulysses", "engine.ulysses", ulysses, world);
    else if (world % (ring * ulysses) != 0)
        problem = doesNotDivide("engine.ring", ulysses == 1 ? "engine.ring" : "engine.ring times engine.ulysses",
            ring * ulysses, world);
    if (problem)
        return shape;
    shape.ring = static_cast<int>(ring);
    shape.ulysses = static_cast<int>(ulysses);
    return shape;
}

}  // namespace contract

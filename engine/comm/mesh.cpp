#include "engine/comm/mesh.h"

namespace engine {

Mesh::Mesh(const contract::MeshShape& shape, std::unique_ptr<Group> world)
    : m_shape(shape)
    , m_world(std::move(world))
{
    for (const Axis axis : {Axis::Shard, Axis::Replicate, Axis::Data, Axis::Ring, Axis::Ulysses, Axis::Reshard}) {
        const bool isWhole = static_cast<int>(shape.members(axis, 0).size()) == shape.world;
        m_groups[static_cast<std::size_t>(axis)] = isWhole ? m_world.get() : &m_lone;
    }
}

void Mesh::add(Axis axis, std::unique_ptr<Group> group)
{
    m_groups[static_cast<std::size_t>(axis)] = group.get();
    m_owned.push_back(std::move(group));
}

WaitTime Mesh::takeWaited()
{
    WaitTime waited = m_world->takeWaited();
    for (const auto& group : m_owned)
        waited.add(group->takeWaited());
    return waited;
}

}  // namespace engine

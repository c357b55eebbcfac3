// The groups of ranks that one rank belongs to. See [Note: meshes] in contract/mesh_shape.h.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/mesh_shape.h"

#include <array>
#include <memory>
#include <vector>

namespace engine {

/// An axis over all ranks uses world(); one of a single rank needs no messages. Ring and Ulysses have groups of their
/// own, so that what they exchange never queues behind a gather.
class Mesh {
public:
    using Axis = contract::MeshShape::Axis;

    /// @param world of all ranks
    Mesh(const contract::MeshShape& shape, std::unique_ptr<Group> world);

    /// Takes a group of shape().members(axis, rank), in that order.
    void add(Axis axis, std::unique_ptr<Group> group);

    const contract::MeshShape& shape() const { return m_shape; }
    Group& world() { return *m_world; }
    Group& shard() { return along(Axis::Shard); }
    Group& replicate() { return along(Axis::Replicate); }
    Group& data() { return along(Axis::Data); }
    Group& ring() { return along(Axis::Ring); }
    Group& ulysses() { return along(Axis::Ulysses); }
    Group& reshard() { return along(Axis::Reshard); }

    double takeWaitedMs();  ///< of all groups

private:
    Group& along(Axis axis) { return *m_along[static_cast<std::size_t>(axis)]; }

    contract::MeshShape m_shape;
    std::unique_ptr<Group> m_world;
    LoneGroup m_lone;
    std::vector<std::unique_ptr<Group>> m_owned;
    std::array<Group*, 6> m_along;
};

}  // namespace engine

// The groups of ranks that one rank belongs to. See [Note: meshes] in contract/experiment/mesh_shape.h.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/mesh_shape.h"

#include <array>
#include <memory>
#include <vector>

namespace engine {

/// An axis that spans all ranks uses world(); an axis of a single rank does not communicate. Ring and Ulysses have
/// their own groups even if they span all ranks, so that their exchanges never queue behind a gather.
class Mesh {
public:
    using Axis = contract::MeshShape::Axis;

    /// @param world the group of all ranks
    Mesh(const contract::MeshShape& shape, std::unique_ptr<Group> world);

    /// Sets the group of @p axis; its ranks are shape().members(axis, rank), in that order.
    void add(Axis axis, std::unique_ptr<Group> group);

    const contract::MeshShape& shape() const { return m_shape; }
    Group& world() { return *m_world; }
    Group& shard() { return groupOf(Axis::Shard); }
    Group& replicate() { return groupOf(Axis::Replicate); }
    Group& data() { return groupOf(Axis::Data); }
    Group& ring() { return groupOf(Axis::Ring); }
    Group& ulysses() { return groupOf(Axis::Ulysses); }
    Group& reshard() { return groupOf(Axis::Reshard); }

    WaitTime takeWaited();  ///< the sum over all groups; see Group::takeWaited()

private:
    Group& groupOf(Axis axis) { return *m_groups[static_cast<std::size_t>(axis)]; }

    contract::MeshShape m_shape;
    std::unique_ptr<Group> m_world;
    LoneGroup m_lone;                      ///< for every axis of a single rank
    std::vector<std::unique_ptr<Group>> m_owned;
    std::array<Group*, 6> m_groups;  ///< by Axis
};

}  // namespace engine

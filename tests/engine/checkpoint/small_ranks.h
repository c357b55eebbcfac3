// Real processes that each hold their shard of a few tensors.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/mesh_shape.h"
#include "engine/contract/run/run_folder.h"
#include "engine/shard/unit_sequence.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tests {

/// Units of odd sizes, so that shards end inside tensors and have padding.
std::vector<engine::UnitSpec> smallUnits();

/// The same with one parameter more, one of another shape, and one less.
std::vector<engine::UnitSpec> changedUnits();

/// One rank's units, with the moments of an optimizer.
class SmallModel {
public:
    explicit SmallModel(engine::Mesh& mesh, std::vector<engine::UnitSpec> specs = smallUnits(), bool keepsAverage = true);

    /// Gives every element of every state a value of its own, from the tensor's name and the element's number: the
    /// same on any number of ranks. Bits of every kind, negative zeros and NaNs among them.
    void fill(int generation);
    /// What fill() gives: the first tensor that holds something else; empty when there is none.
    std::string difference(int generation);

    engine::UnitSequence& units() { return m_units; }

    /// What this rank has of a parameter, as bits.
    at::Tensor weightBits(std::size_t unit, std::size_t parameter);

private:
    template <typename Visit>
    void forEachElement(int generation, Visit visit);

    engine::BufferPool m_pool;
    engine::UnitSequence m_units;
};

/// A manifest such as training hands to CheckpointWriter::save().
contract::CheckpointManifest manifestOf(std::int64_t step);

/// Lets @p load read files of @p bytes on all ranks of @p mesh. Collective.
/// @return an error message if together they read less or much more than that; empty when each byte was read once
std::string faultOfReading(engine::Mesh& mesh, double bytes, const std::function<void()>& load);

/// Runs @p body in as many processes as the mesh has ranks.
/// @return which of them failed; empty when all went well. What body returned, if not empty, or threw is on stderr.
std::string runRanks(const contract::MeshShape& shape, const std::function<std::string(engine::Mesh&)>& body);

}  // namespace tests

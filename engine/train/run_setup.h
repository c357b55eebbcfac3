// What an experiment's options mean to the engine: where a rank computes, with whom, and how its units behave.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/accelerator.h"
#include "engine/comm/mesh.h"
#include "engine/comm/rank_identity.h"
#include "engine/contract/experiment.h"
#include "engine/contract/run_folder.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/model/sequence_parallel.h"
#include "engine/shard/unit_sequence.h"

#include <memory>
#include <string>

namespace engine {

/// The experiment of an attempt as it was started. @throws EngineError WrongUsage naming what is wrong with it.
contract::Experiment loadResolved(const contract::RunFolder& folder, int attempt);

/// Of an option's word: fp32, bf16, fp16.
at::ScalarType dtypeOf(const std::string& name);

struct Compute {
    Accelerator* accelerator = nullptr;  ///< nullptr on the CPU
    c10::Device device {c10::DeviceType::CPU};
    double peakTeraflops = 0;            ///< of this rank's device in the compute dtype; 0 unknown
};

/// Sets this process's threads and determinism too: call it before anything computes.
/// @throws EngineError when the device that is asked for is not there.
Compute chooseCompute(const contract::Experiment& experiment, const RankIdentity& identity);

/// Joins all ranks. Collective. @throws EngineError, see joinRanks(); WrongUsage for what does not divide.
std::unique_ptr<Mesh> joinMesh(
    const contract::Experiment& experiment, const RankIdentity& identity, Accelerator* accelerator);

/// Passes of a step. @throws EngineError WrongUsage for what does not divide.
std::int64_t accumulationOf(const contract::Experiment& experiment, int dataRanks);

/// @param copies outlives the units; nullptr where shards lie on the device
UnitOptions unitOptions(const contract::Experiment& experiment, Mesh& mesh, const CopyStream* copies);
SequenceOptions sequenceOptions(const contract::Experiment& experiment);
/// How attention is computed, over which ranks.
SequenceGroups sequenceGroups(const contract::Experiment& experiment, Mesh& mesh);

/// Says why engine.attention cannot be what it is, on @p device; empty when it can.
std::string attentionNotice(const contract::Experiment& experiment, c10::Device device);

/// @throws EngineError WrongUsage where an option names a unit that the model has not
void requireKnownUnits(const contract::Experiment& experiment, const std::vector<UnitSpec>& specs);
SamplerOptions samplerOptions(const contract::Experiment& experiment);
Contents contentsOf(const std::string& name);  ///< of checkpoint.save and checkpoint.load
RotationPolicy rotationOf(const contract::Experiment& experiment);

}  // namespace engine

// Translates an experiment into the option structs of units, attention, adapters, captions, sampler and checkpoints.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/data/captions.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/lora/adapters.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Returns the dtype for an option value: fp32, bf16 or fp16.
at::ScalarType dtypeOf(const std::string& name);

/// Returns the number of micro-batches per step (accumulation steps).
/// @throws EngineError WrongUsage when the batch sizes do not divide evenly.
std::int64_t accumulationOf(const contract::Experiment& experiment, int dataRanks);

/// @param copies must outlive the units; nullptr when the shards are kept on the device
UnitOptions unitOptions(const contract::Experiment& experiment, Mesh& mesh, const CopyStream* copies);
SequenceOptions sequenceOptions(const contract::Experiment& experiment);

/// Returns the attention kernel and the sequence groups that attention runs over.
SequenceGroups sequenceGroups(const contract::Experiment& experiment, Mesh& mesh);

/// Explains why the chosen engine.attention cannot run on @p device and falls back; empty when it can run.
std::string attentionNotice(const contract::Experiment& experiment, c10::Device device);

/// @throws EngineError WrongUsage when an option names a unit that the model does not have.
void requireKnownUnits(const contract::Experiment& experiment, const std::vector<UnitSpec>& specs);

/// Returns the layers of the new adapter that the experiment describes; empty for lora.rank = 0.
std::vector<AdapterLayer> newAdapterLayers(const contract::Experiment& experiment, const Model& model);

/// Returns all noise levels or, in a model with two transformers, those of model.component.
/// @param boundary the noise level that separates the two; 0 when there is only one
/// @throws EngineError WrongUsage when the component has none.
SigmaRule sigmaRule(const contract::Experiment& experiment, double boundary);

CaptionRules captionRules(const contract::Experiment& experiment);
SamplerOptions samplerOptions(const contract::Experiment& experiment);
Contents contentsOf(const std::string& name);  ///< for values of checkpoint.save and checkpoint.load
RotationPolicy rotationOf(const contract::Experiment& experiment);

}  // namespace engine

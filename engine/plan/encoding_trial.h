// Measures the memory that encoding new data takes before training: autoencoder and text encoders, which are freed before it.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>

namespace engine {

/// Bytes of one rank at the peak of encoding an image or video, with its prompt's encoders. The autoencoder really encodes: small images,
/// twice, and the rest is extrapolated, since its values are linear in the pixels. Ranks on several GPUs keep the text encoders in
/// shards meanwhile; elsewhere they are read layer by layer, of which the values of an image take more.
/// @return 0 for a model that does not come from a folder, and where the autoencoder does not fit this machine's memory
std::int64_t encodingBytes(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus);

}  // namespace engine

// Measures the memory that encoding new data takes before training: autoencoder and text encoders, which are freed before it.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>
#include <functional>

namespace engine {

/// Bytes of tensors at the peak of encoding, of one rank.
struct EncodingBytes {
    std::int64_t tried = 0;   ///< of the largest image that the trial has encoded
    std::int64_t wanted = 0;  ///< of an image or video as the run encodes it
};

/// Decodes a file of the data set and really encodes it and its prompts, as a rank does: this process's peak meanwhile is that of a
/// rank which encodes. Large images are made small, twice, and the rest is extrapolated, since an autoencoder's values are linear in the pixels.
/// Ranks on several GPUs keep the text encoders in shards meanwhile; elsewhere they are read layer by layer, of which the values of an image
/// take more.
/// @param onFree called while the trial has its large tensors, before each of them is freed
/// @return zeros for a model that does not come from a folder, and where the autoencoder does not fit this machine's memory
EncodingBytes encodingBytes(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus, const std::function<void()>& onFree);

}  // namespace engine

// How much disk the data takes that a run encodes for the first time and keeps in its cache, and how much memory what it reads of it.
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>
#include <filesystem>

namespace engine {

struct CacheBytes {
    std::int64_t lacking = 0;  ///< on the disk: what is to be written
    std::int64_t kept = 0;     ///< in the memory of a rank at the end of the run; see FeatureCache::kMostKept
};

/// Bytes of the latents and text features that the cache lacks, and of the emoji where these are not there yet: to the byte where all files of the
/// data can be decoded. Which of many files the cache has is found out by some, evenly spread. Where captions are shuffled (data.shuffle_captions),
/// each order that may be drawn counts, so that fewer bytes may be written. 0 where the run encodes nothing, or its data cannot be read.
/// @param model folder in which a model that starts untrained is described
/// @param cache what the runs of a data home share; empty: what it lacks is not asked
CacheBytes cacheBytes(const contract::Experiment& experiment, const PlannedModel& planned, const std::filesystem::path& model,
    const std::filesystem::path& cache);

}  // namespace engine

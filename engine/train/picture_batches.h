// Micro-batches of captioned pictures, from the cache of their latents and text features.
#pragma once
#include "engine/data/bucket_sampler.h"
#include "engine/data/captions.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/train/batch_source.h"
#include "engine/train/prepared_pictures.h"

namespace engine {

struct PictureBatchOptions {
    std::int64_t microBatch = 1;
    std::int64_t globalBatch = 1;  ///< samples of a step, over ranks and micro-batches: all of one size
    CaptionRules captions;
    SigmaRule sigmas;
    double guidance = 1;  ///< scale that a guidance-distilled model is told
    std::uint64_t seed = 0;
};

/// Which rows a step sees, at which noise levels and with which captions, does not depend on the number of ranks.
class PictureBatches final : public BatchSource {
public:
    /// @param pictures outlives this
    PictureBatches(const PreparedPictures& pictures, const PictureBatchOptions& options);

    std::int64_t microBatch() const override { return m_options.microBatch; }
    FlowBatch batch(const BatchPlace& place) override;

private:
    const PreparedPictures& m_pictures;
    PictureBatchOptions m_options;
    BucketSampler m_sampler;
};

}  // namespace engine

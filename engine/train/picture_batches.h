// Micro-batches of captioned pictures, from the cache of their latents and text features.
#pragma once
#include "engine/data/bucket_sampler.h"
#include "engine/data/captions.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/train/batch_source.h"
#include "engine/train/prepared_pictures.h"

#include <future>
#include <optional>

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
///
/// While a batch is trained on, a thread reads the one that follows in the run's order; whoever asks for another gets that,
/// read at once. Captions that no rank has encoded yet are encoded by the asking thread.
class PictureBatches final : public BatchSource {
public:
    /// @param pictures outlives this
    PictureBatches(const PreparedPictures& pictures, const PictureBatchOptions& options);

    std::int64_t microBatch() const override { return m_options.microBatch; }
    FlowBatch batch(const BatchPlace& place) override;

private:
    /// Rows with what is known of them without encoding.
    struct Draft {
        BatchPlace place;
        FlowBatch batch;
        std::vector<const PreparedPicture*> pictures;
        std::vector<std::string> captions;                   ///< as they are seen
        std::vector<std::optional<PromptFeatures>> prompts;  ///< nothing where one is to be encoded
    };

    Draft draft(const BatchPlace& place);
    BatchPlace after(const BatchPlace& place) const;

    const PreparedPictures& m_pictures;
    PictureBatchOptions m_options;
    BucketSampler m_sampler;     ///< of the thread that drafts
    std::future<Draft> m_ahead;  ///< last: it ends before what it uses
};

}  // namespace engine

// Micro-batches of captioned images or videos, read from the cache of latents and text features.
#pragma once
#include "engine/data/bucket_sampler.h"
#include "engine/data/captions.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/tasks/batch_source.h"
#include "engine/tasks/prepared_images.h"

#include <future>
#include <optional>

namespace engine {

struct ImageBatchOptions {
    std::int64_t microBatch = 1;
    std::int64_t globalBatch = 1;  ///< samples of a step over all ranks and micro-batches; all of them have the same image size
    CaptionRules captions;
    SigmaRule sigmas;
    double guidance = 1;  ///< guidance scale that a guidance-distilled model gets as input
    std::uint64_t seed = 0;
};

/// The rows, noise levels and captions of a step do not depend on the number of ranks.
///
/// After each batch() call a background thread prefetches the next micro-batch in training order. A call for any other
/// position reads that micro-batch synchronously. Captions that are not in the cache yet are encoded by the calling thread.
class ImageBatches final : public BatchSource {
public:
    /// @param images must outlive this object
    ImageBatches(const PreparedImages& images, const ImageBatchOptions& options);

    std::int64_t microBatch() const override { return m_options.microBatch; }
    std::int64_t epochSamples() const override { return m_sampler.size(); }
    FlowBatch batch(const BatchPosition& position) override;

private:
    /// A micro-batch as far as it can be prepared without encoding captions.
    struct Draft {
        BatchPosition position;
        FlowBatch batch;
        std::vector<const PreparedImage*> images;
        std::vector<std::string> captions;                   ///< after dropout and shuffling
        std::vector<std::optional<PromptFeatures>> prompts;  ///< nullopt where the caption must still be encoded
    };

    Draft draft(const BatchPosition& position);
    BatchPosition after(const BatchPosition& position) const;

    const PreparedImages& m_images;
    ImageBatchOptions m_options;
    BucketSampler m_sampler;     ///< used by one thread at a time: the one that runs draft()
    std::future<Draft> m_prefetched;  ///< declared last, so that it is joined before the members it uses are destroyed
};

}  // namespace engine

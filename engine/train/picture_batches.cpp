#include "engine/train/picture_batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

#include <stdexcept>

namespace engine {

PictureBatches::PictureBatches(const PreparedPictures& pictures, const PictureBatchOptions& options)
    : m_pictures(pictures)
    , m_options(options)
    , m_sampler(pictures.buckets(), options.globalBatch, options.seed)
{
}

FlowBatch PictureBatches::batch(const BatchPlace& place)
{
    if (place.rank < 0 || place.rank >= place.ranks)
        throw std::invalid_argument("rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks) + " asks for its batch");
    const std::int64_t firstRow = (place.micro * place.ranks + place.rank) * m_options.microBatch;
    const auto step = static_cast<std::uint64_t>(place.step);
    std::vector<std::uint64_t> rows;
    std::vector<at::Tensor> means, deviations;
    std::vector<PromptFeatures> prompts;
    for (std::int64_t i = 0; i < m_options.microBatch; ++i) {
        const auto row = static_cast<std::uint64_t>(firstRow + i);
        const auto& picture = m_pictures.training()[static_cast<std::size_t>(m_sampler.index(place.samplesSeen + firstRow + i))];
        const ImagePipeline::Latents latents = m_pictures.latents(picture);
        rows.push_back(row);
        means.push_back(latents.mean);
        deviations.push_back(latents.deviation);
        prompts.push_back(m_pictures.features(captionSeen(picture.caption, m_options.captions, m_options.seed, step, row)));
    }
    const at::Tensor mean = at::stack(means);
    const at::Tensor clean = mean + at::stack(deviations) * normalRows(rows, mean.sizes().slice(1), m_options.seed, "latents", step);
    FlowBatch batch {noiseRows(clean, rows, m_options.seed, step, m_options.sigmas)};
    const PromptFeatures all = stacked(prompts);
    batch.prompt = all.embeds;
    batch.promptMask = all.mask;
    batch.pooled = all.pooled;
    batch.guidance = at::full({m_options.microBatch}, m_options.guidance, at::kFloat);
    return batch;
}

}  // namespace engine

#include "engine/tasks/image_batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>

#include <stdexcept>
#include <utility>

namespace engine {

ImageBatches::ImageBatches(const PreparedImages& images, const ImageBatchOptions& options)
    : m_images(images)
    , m_options(options)
    , m_sampler(images.buckets(), options.globalBatch, options.seed)
{
}

BatchPosition ImageBatches::after(const BatchPosition& position) const
{
    BatchPosition next = position;
    if ((++next.micro) * position.ranks * m_options.microBatch < m_options.globalBatch)
        return next;
    next.micro = 0;
    ++next.step;
    next.samplesSeen += m_options.globalBatch;
    return next;
}

ImageBatches::Draft ImageBatches::draft(const BatchPosition& position)
{
    const std::int64_t firstRow = (position.micro * position.ranks + position.rank) * m_options.microBatch;
    const auto step = static_cast<std::uint64_t>(position.step);
    Draft draft {.position = position, .batch = {}, .images = {}, .captions = {}, .prompts = {}};
    std::vector<std::uint64_t> rows;
    std::vector<at::Tensor> means, deviations, weights;
    bool isWeighted = false;
    for (std::int64_t i = 0; i < m_options.microBatch; ++i) {
        const auto row = static_cast<std::uint64_t>(firstRow + i);
        const auto& image = m_images.training()[static_cast<std::size_t>(m_sampler.index(position.samplesSeen, firstRow + i))];
        const ImageLatents latents = m_images.latents(image);
        const double weight = m_images.weight(image);
        isWeighted |= weight != 1 || latents.mask.defined();
        rows.push_back(row);
        means.push_back(latents.mean);
        deviations.push_back(latents.deviation);
        weights.push_back(latents.mask.defined() ? latents.mask * weight : at::full_like(latents.mean.narrow(0, 0, 1), weight));
        draft.images.push_back(&image);
        draft.captions.push_back(augmentedCaption(image.caption, m_options.captions, m_options.seed, step, row));
        draft.prompts.emplace_back();
        if (m_images.hasFeatures(image, draft.captions.back()))
            draft.prompts.back() = m_images.features(image, draft.captions.back());
    }
    const at::Tensor mean = at::stack(means);
    const at::Tensor clean = mean + at::stack(deviations) * normalRows(rows, mean.sizes().slice(1), m_options.seed, "latents", step);
    static_cast<NoisedRows&>(draft.batch) = noiseRows(clean, rows, m_options.seed, step, m_options.sigmas);
    if (isWeighted)
        draft.batch.weights = at::stack(weights);
    return draft;
}

FlowBatch ImageBatches::batch(const BatchPosition& position)
{
    if (position.rank < 0 || position.rank >= position.ranks)
        throw std::invalid_argument("a batch was requested for rank " + std::to_string(position.rank) + " of " + std::to_string(position.ranks));
    std::optional<Draft> current;
    if (m_prefetched.valid()) {
        Draft ready = m_prefetched.get();
        if (ready.position == position)
            current = std::move(ready);
    }
    if (!current)
        current = draft(position);
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < current->prompts.size(); ++i) {
        if (!current->prompts[i])
            missing.push_back(current->captions[i]);
    }
    m_images.prompts().encode(missing);
    std::vector<PromptFeatures> prompts;
    for (std::size_t i = 0; i < current->prompts.size(); ++i) {
        auto& known = current->prompts[i];
        prompts.push_back(known ? std::move(*known) : m_images.features(*current->images[i], current->captions[i]));
    }
    m_prefetched = std::async(std::launch::async, [this, next = after(position)] { return draft(next); });
    const PromptFeatures all = stacked(prompts);
    current->batch.prompt = all.embeds;
    current->batch.promptMask = all.mask;
    current->batch.pooled = all.pooled;
    current->batch.guidance = at::full({m_options.microBatch}, m_options.guidance, at::kFloat);
    return std::move(current->batch);
}

}  // namespace engine

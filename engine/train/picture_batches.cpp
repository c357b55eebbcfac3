#include "engine/train/picture_batches.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>

#include <stdexcept>
#include <utility>

namespace engine {

PictureBatches::PictureBatches(const PreparedPictures& pictures, const PictureBatchOptions& options)
    : m_pictures(pictures)
    , m_options(options)
    , m_sampler(pictures.buckets(), options.globalBatch, options.seed)
{
}

BatchPlace PictureBatches::after(const BatchPlace& place) const
{
    BatchPlace next = place;
    if ((++next.micro) * place.ranks * m_options.microBatch < m_options.globalBatch)
        return next;
    next.micro = 0;
    ++next.step;
    next.samplesSeen += m_options.globalBatch;
    return next;
}

PictureBatches::Draft PictureBatches::draft(const BatchPlace& place)
{
    const std::int64_t firstRow = (place.micro * place.ranks + place.rank) * m_options.microBatch;
    const auto step = static_cast<std::uint64_t>(place.step);
    Draft draft {.place = place, .batch = {}, .pictures = {}, .captions = {}, .prompts = {}};
    std::vector<std::uint64_t> rows;
    std::vector<at::Tensor> means, deviations, weights;
    bool isWeighted = false;
    for (std::int64_t i = 0; i < m_options.microBatch; ++i) {
        const auto row = static_cast<std::uint64_t>(firstRow + i);
        const auto& picture = m_pictures.training()[static_cast<std::size_t>(m_sampler.index(place.samplesSeen + firstRow + i))];
        const PictureLatents latents = m_pictures.latents(picture);
        const double weight = m_pictures.weight(picture);
        isWeighted |= weight != 1 || latents.mask.defined();
        rows.push_back(row);
        means.push_back(latents.mean);
        deviations.push_back(latents.deviation);
        weights.push_back(latents.mask.defined() ? latents.mask * weight : at::full_like(latents.mean.narrow(0, 0, 1), weight));
        draft.pictures.push_back(&picture);
        draft.captions.push_back(captionSeen(picture.caption, m_options.captions, m_options.seed, step, row));
        draft.prompts.emplace_back();
        if (m_pictures.hasFeatures(picture, draft.captions.back()))
            draft.prompts.back() = m_pictures.features(picture, draft.captions.back());
    }
    const at::Tensor mean = at::stack(means);
    const at::Tensor clean = mean + at::stack(deviations) * normalRows(rows, mean.sizes().slice(1), m_options.seed, "latents", step);
    static_cast<NoisedRows&>(draft.batch) = noiseRows(clean, rows, m_options.seed, step, m_options.sigmas);
    if (isWeighted)
        draft.batch.weights = at::stack(weights);
    return draft;
}

FlowBatch PictureBatches::batch(const BatchPlace& place)
{
    if (place.rank < 0 || place.rank >= place.ranks)
        throw std::invalid_argument("rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks) + " asks for its batch");
    std::optional<Draft> asked;
    if (m_ahead.valid()) {
        Draft ready = m_ahead.get();
        if (ready.place == place)
            asked = std::move(ready);
    }
    if (!asked)
        asked = draft(place);
    std::vector<PromptFeatures> prompts;
    for (std::size_t i = 0; i < asked->prompts.size(); ++i) {
        auto& known = asked->prompts[i];
        prompts.push_back(known ? std::move(*known) : m_pictures.features(*asked->pictures[i], asked->captions[i]));
    }
    m_ahead = std::async(std::launch::async, [this, next = after(place)] { return draft(next); });
    const PromptFeatures all = stacked(prompts);
    asked->batch.prompt = all.embeds;
    asked->batch.promptMask = all.mask;
    asked->batch.pooled = all.pooled;
    asked->batch.guidance = at::full({m_options.microBatch}, m_options.guidance, at::kFloat);
    return std::move(asked->batch);
}

}  // namespace engine

#include "engine/tasks/image_evaluation.h"

#include "engine/tasks/sample_writer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace engine {
namespace {

/// This rank's rows in one pass. A rank with fewer rows repeats the last one, because every rank must run the same passes.
struct Pass {
    std::vector<std::size_t> rows;
    std::size_t real = 0;  ///< number of leading rows that are not repeats
};

/// Divides rows [0, count) among @p ranks, at most @p maxRows per rank and pass, and calls @p work for each pass of this rank.
void forEachPass(std::size_t count, const Group& ranks, std::int64_t maxRows, const std::function<void(const Pass&)>& work)
{
    const auto size = static_cast<std::size_t>(ranks.size()), rank = static_cast<std::size_t>(ranks.rank());
    const std::size_t stride = size * static_cast<std::size_t>(maxRows);
    for (std::size_t start = 0; start < count; start += stride) {
        const std::size_t each = (std::min(stride, count - start) + size - 1) / size;
        Pass pass;
        for (std::size_t i = 0; i < each; ++i) {
            const std::size_t row = start + rank * each + i;
            pass.real += row < count ? 1 : 0;
            pass.rows.push_back(std::min(row, count - 1));
        }
        work(pass);
    }
}

ModelInput conditionOf(const PreparedImages& images, const std::vector<std::string>& texts)
{
    images.prompts().encode(texts);
    std::vector<PromptFeatures> parts;
    for (const std::string& text : texts)
        parts.push_back(images.prompts().features(text));
    return stacked(parts).asInput();
}

/// Returns the sum of the losses of one pass over images of equal size, without repeated rows.
double lossOf(const EvaluationContext& context, const PreparedImages& images, const std::vector<std::size_t>& bucket, const Pass& pass,
    const SigmaRule& sigmas)
{
    std::vector<at::Tensor> latents;
    std::vector<PromptFeatures> prompts;
    std::vector<std::uint64_t> rows;
    for (const std::size_t row : pass.rows) {
        const PreparedImage& image = images.validation()[bucket[row]];
        latents.push_back(images.latents(image).mean);
        prompts.push_back(images.features(image, image.caption));
        rows.push_back(bucket[row]);
    }
    const NoisedRows noised = noiseRows(at::stack(latents), rows, context.seed + 1, 0, sigmas);
    ModelInput input = stacked(prompts).asInput();
    input.latents = noised.noisy;
    input.sigmas = noised.sigmas;
    input.guidance = at::full({static_cast<std::int64_t>(rows.size())}, context.guidance, at::kFloat);
    const at::Tensor velocity = predict(context.model, context.units, input.on(context.device));
    const auto real = static_cast<std::int64_t>(pass.real);
    return (velocity.cpu() - noised.target).square().flatten(1).mean(1).narrow(0, 0, real).sum().item<double>();
}

/// The final latents of each of this rank's passes, on the device.
std::vector<std::pair<Pass, at::Tensor>> drawLatents(const EvaluationContext& context, const Denoiser& denoiser, const PreparedImages& images,
    const DiffusionPipeline& pipeline, const SampleRequest& request)
{
    const UnitSequence::EvaluationScope scope(context.units, context.weights);
    const auto& [prompts, negative, edge, frames, options] = request;
    const NoiseLevels levels = pipeline.levels(options.steps, edge, edge, frames);
    std::vector<std::pair<Pass, at::Tensor>> drawn;
    forEachPass(prompts.size(), context.ranks, context.microBatch, [&](const Pass& pass) {
        std::vector<std::string> texts;
        for (const std::size_t row : pass.rows)
            texts.push_back(prompts[row]);
        const auto noise = [&](std::size_t number) {  // 0: to start from; then one for each step
            return normalRows({pass.rows.begin(), pass.rows.end()}, pipeline.latentShape(edge, edge, frames), context.seed, "samples", number);
        };
        drawn.emplace_back(pass, sampleGuided(denoiser, noise(0).to(context.device),
            {conditionOf(images, texts).on(context.device), conditionOf(images, std::vector<std::string>(texts.size(), negative)).on(context.device)},
            levels, {pipeline.traits().guidance, options.guidanceScale}, {}, [&](std::size_t step) { return noise(1 + step); }));
    });
    return drawn;
}

}  // namespace

std::optional<double> heldOutLoss(const EvaluationContext& context, const PreparedImages& images, const SigmaRule& sigmas)
{
    const auto& all = images.validation();
    if (all.empty())
        return std::nullopt;
    const at::NoGradGuard noGrad;
    const UnitSequence::EvaluationScope scope(context.units, context.weights);
    std::map<std::tuple<int, int, std::int64_t>, std::vector<std::size_t>> buckets;
    for (std::size_t i = 0; i < all.size(); ++i)
        buckets[{all[i].size.width, all[i].size.height, all[i].frames}].push_back(i);
    double sum = 0;
    for (const auto& [size, bucket] : buckets)
        forEachPass(bucket.size(), context.ranks, context.microBatch, [&](const Pass& pass) { sum += lossOf(context, images, bucket, pass, sigmas); });
    at::Tensor total = at::tensor(std::vector<double> {sum}, at::kDouble).to(context.device);
    context.ranks.allReduceSum(total, "validation loss");
    return context.ranks.onHost(total).item<double>() / static_cast<double>(all.size());
}

at::Tensor drawPrompts(const EvaluationContext& context, const Denoiser& denoiser, const PreparedImages& images, const DiffusionPipeline& pipeline,
    const SampleRequest& request, const std::function<void()>& whenDenoised)
{
    const at::NoGradGuard noGrad;
    const auto drawn = drawLatents(context, denoiser, images, pipeline, request);
    whenDenoised();
    const std::int64_t edge = request.edge;
    at::Tensor shown;  // [prompts, frames per video, 3, edge, edge]
    for (const auto& [pass, latents] : drawn) {
        const at::Tensor decoded = pipeline.decode(latents).cpu();
        const at::Tensor own = (pipeline.traits().isVideo() ? spacedFrames(decoded) : decoded)
                                   .reshape({static_cast<std::int64_t>(pass.rows.size()), -1, 3, edge, edge});
        if (!shown.defined())
            shown = at::zeros({static_cast<std::int64_t>(request.prompts.size()), own.size(1), 3, edge, edge}, at::kFloat);
        for (std::size_t i = 0; i < pass.real; ++i)
            shown[static_cast<std::int64_t>(pass.rows[i])].copy_(own[static_cast<std::int64_t>(i)]);
    }
    at::Tensor all = shown.flatten(0, 1).to(context.device);  // each rank has filled in its own samples; the others are zero
    context.ranks.allReduceSum(all, "samples");
    return context.ranks.onHost(all);
}

}  // namespace engine

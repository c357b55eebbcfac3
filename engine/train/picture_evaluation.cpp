#include "engine/train/picture_evaluation.h"

#include "engine/train/sample_writer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

namespace engine {
namespace {

/// The rows of this rank in one pass. Where it has fewer than the others it repeats its last: every rank runs the same passes.
struct Pass {
    std::vector<std::size_t> rows;
    std::size_t real = 0;  ///< so many first ones count
};

/// Divides rows [0, count) among @p ranks, at most @p most for each and pass, and does @p work for each of this rank's passes.
void divided(std::size_t count, const Group& ranks, std::int64_t most, const std::function<void(const Pass&)>& work)
{
    const auto size = static_cast<std::size_t>(ranks.size()), rank = static_cast<std::size_t>(ranks.rank());
    const std::size_t stride = size * static_cast<std::size_t>(most);
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

ModelInput conditionOf(const PreparedPictures& pictures, const std::vector<std::string>& texts)
{
    std::vector<PromptFeatures> parts;
    for (const std::string& text : texts)
        parts.push_back(pictures.prompts().features(text));
    return stacked(parts).asInput();
}

/// Of pictures of one size: the sum over those that count.
double lossOf(const EvaluationPlace& place, const PreparedPictures& pictures, const std::vector<std::size_t>& bucket, const Pass& pass,
    const SigmaRule& sigmas)
{
    std::vector<at::Tensor> latents;
    std::vector<PromptFeatures> prompts;
    std::vector<std::uint64_t> rows;
    for (const std::size_t row : pass.rows) {
        const PreparedPicture& picture = pictures.validation()[bucket[row]];
        latents.push_back(pictures.latents(picture).mean);
        prompts.push_back(pictures.features(picture, picture.caption));
        rows.push_back(bucket[row]);
    }
    const NoisedRows noised = noiseRows(at::stack(latents), rows, place.seed + 1, 0, sigmas);
    ModelInput input = stacked(prompts).asInput();
    input.latents = noised.noisy;
    input.sigmas = noised.sigmas;
    input.guidance = at::full({static_cast<std::int64_t>(rows.size())}, place.guidance, at::kFloat);
    const at::Tensor velocity = predict(place.model, place.units, input.on(place.device));
    const auto real = static_cast<std::int64_t>(pass.real);
    return (velocity.cpu() - noised.target).square().flatten(1).mean(1).narrow(0, 0, real).sum().item<double>();
}

}  // namespace

double heldOutLoss(const EvaluationPlace& place, const PreparedPictures& pictures, const SigmaRule& sigmas)
{
    const auto& all = pictures.validation();
    if (all.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const at::NoGradGuard noGrad;
    const UnitSequence::EvaluationScope scope(place.units, place.weights);
    std::map<std::tuple<int, int, std::int64_t>, std::vector<std::size_t>> buckets;
    for (std::size_t i = 0; i < all.size(); ++i)
        buckets[{all[i].size.width, all[i].size.height, all[i].frames}].push_back(i);
    double sum = 0;
    for (const auto& [size, bucket] : buckets)
        divided(bucket.size(), place.ranks, place.microBatch, [&](const Pass& pass) { sum += lossOf(place, pictures, bucket, pass, sigmas); });
    at::Tensor total = at::tensor(std::vector<double> {sum}, at::kDouble).to(place.device);
    place.ranks.allReduceSum(total, "validation loss");
    return total.item<double>() / static_cast<double>(all.size());
}

at::Tensor drawPrompts(const EvaluationPlace& place, const Denoiser& denoiser, const PreparedPictures& pictures, const DiffusionPipeline& pipeline,
    const SampleRequest& asked)
{
    const at::NoGradGuard noGrad;
    const UnitSequence::EvaluationScope scope(place.units, place.weights);
    const auto& [prompts, negative, edge, frames, options] = asked;
    const NoiseLevels levels = pipeline.levels(options.steps, edge, edge, frames);
    at::Tensor drawn;  // [prompts, shown frames, 3, edge, edge]
    divided(prompts.size(), place.ranks, place.microBatch, [&](const Pass& pass) {
        std::vector<std::string> texts;
        for (const std::size_t row : pass.rows)
            texts.push_back(prompts[row]);
        const at::Tensor noise = normalRows({pass.rows.begin(), pass.rows.end()}, pipeline.latentShape(edge, edge, frames), place.seed, "samples", 0);
        const at::Tensor latents = sampleGuided(denoiser, noise.to(place.device),
            {conditionOf(pictures, texts).on(place.device), conditionOf(pictures, std::vector<std::string>(texts.size(), negative)).on(place.device)},
            levels, {pipeline.traits().guidance, options.guidanceScale});
        const at::Tensor decoded = pipeline.decode(latents).cpu();
        const at::Tensor shown = (pipeline.traits().isVideo() ? filmStrips(decoded) : decoded)
                                     .reshape({static_cast<std::int64_t>(texts.size()), -1, 3, edge, edge});
        if (!drawn.defined())
            drawn = at::zeros({static_cast<std::int64_t>(prompts.size()), shown.size(1), 3, edge, edge}, at::kFloat);
        for (std::size_t i = 0; i < pass.real; ++i)
            drawn[static_cast<std::int64_t>(pass.rows[i])].copy_(shown[static_cast<std::int64_t>(i)]);
    });
    at::Tensor all = drawn.flatten(0, 1).to(place.device);  // each rank has its own, and zeros for the others'
    place.ranks.allReduceSum(all, "samples");
    return all.cpu();
}

}  // namespace engine

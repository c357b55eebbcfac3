#include "engine/tasks/image_rollouts.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/checksum.h"
#include "engine/rounds/reward_watch.h"
#include "engine/tasks/sample_writer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace engine {
namespace {

/// A prompt's input for several samples, whose rows share its memory: a round keeps the conditions of all its samples.
/// @param input of one row
ModelInput repeated(ModelInput input, std::int64_t rows)
{
    for (at::Tensor* const tensor : {&input.prompt, &input.promptMask, &input.pooled}) {
        if (!tensor->defined())
            continue;
        std::vector<std::int64_t> sizes = tensor->sizes().vec();
        sizes.front() = rows;
        *tensor = tensor->expand(sizes);
    }
    return input;
}

}  // namespace

std::vector<Prompt> rolloutPrompts(const std::filesystem::path& file, const PreparedImages& images)
{
    if (!file.empty())
        return readPrompts(file);
    std::set<std::string> captions;
    for (const PreparedImage& image : images.training()) {
        if (!image.isPrior && !image.hasPrompt && !image.caption.empty())
            captions.insert(image.caption);
    }
    if (captions.empty())
        throw EngineError(EngineError::Kind::WrongUsage,
            "rollout.prompt_file is not set, and no training image has a caption to draw samples for: give a file of prompts");
    std::vector<Prompt> prompts;
    for (const std::string& caption : captions)
        prompts.push_back({caption});
    return prompts;
}

ImageRollouts::ImageRollouts(std::vector<Prompt> prompts, std::unique_ptr<RewardList> rewards, const PromptCache& features,
    const DiffusionPipeline& pipeline, Mesh& mesh, const Options& options)
    : m_prompts(std::move(prompts))
    , m_features(features)
    , m_pipeline(pipeline)
    , m_mesh(mesh)
    , m_options(options)
    , m_rewards(std::move(rewards))
{
    if (m_rewards->comparesSamples())
        m_groups.emplace(options.samplesPerPrompt, mesh.data(), pipeline.device());
    latentShape();
}

std::string ImageRollouts::promptsKey() const
{
    contract::Checksum checksum;
    for (const Prompt& prompt : m_prompts)
        checksum.add(prompt.text.c_str(), prompt.text.size() + 1);
    return std::to_string(m_prompts.size()) + " (" + checksum.text() + ")";
}

NoiseLevels ImageRollouts::levels(std::int64_t steps) const
{
    FlowMatchConfig schedule = m_pipeline.schedule();
    if (!schedule.uniPc)
        return m_pipeline.levels(steps, m_options.edge, m_options.edge, m_options.frames);
    schedule.uniPc.reset();  // stochastic steps are Euler's
    return noiseLevels(schedule, Spacing::Sigmas, steps, /*imageTokens=*/0);
}

TrainingLevels ImageRollouts::trainingLevels() const
{
    const TrainingLevels all = engine::trainingLevels(m_pipeline.schedule());
    TrainingLevels trained;
    for (std::size_t i = 0; i < all.timesteps.size(); ++i) {
        if (m_trained.contains(all.timesteps[i])) {
            trained.timesteps.push_back(all.timesteps[i]);
            trained.sigmas.push_back(all.sigmas[i]);
        }
    }
    return trained;
}

Conditions ImageRollouts::conditions(const std::vector<std::int64_t>& prompts) const
{
    const c10::Device device = m_pipeline.device();
    const auto rows = static_cast<std::int64_t>(prompts.size());
    const bool isOnePrompt = std::ranges::adjacent_find(prompts, std::ranges::not_equal_to()) == prompts.end();
    std::vector<PromptFeatures> parts;
    for (const std::int64_t prompt : isOnePrompt ? std::vector {prompts.front()} : prompts)
        parts.push_back(m_features.features(m_prompts.at(static_cast<std::size_t>(prompt)).text));
    const ModelInput positive = stacked(parts).asInput().on(device);
    Conditions conditions {isOnePrompt ? repeated(positive, rows) : positive, std::nullopt};
    if (guidance() == Guidance::Distilled)
        conditions.positive.guidance = at::full({rows}, m_options.guidance, at::TensorOptions(device).dtype(at::kFloat));
    else if (m_options.guidance > 1)
        conditions.negative = repeated(m_features.features(m_options.negative).asInput().on(device), rows);
    return conditions;
}

void ImageRollouts::setPairs(std::vector<ImagePair> pairs, const PreparedImages& images)
{
    const auto edge = static_cast<int>(m_options.edge);
    for (const ImagePair& pair : pairs) {
        for (const PreparedImage* image : {&pair.chosen, &pair.rejected}) {
            if (image->size.width != edge || image->size.height != edge)
                throw EngineError(EngineError::Kind::WrongUsage,
                    image->file.string() + ": its latents are of " + std::to_string(image->size.width) + " × " + std::to_string(image->size.height)
                        + " pixels, but pairs are trained on at data.resolution = " + std::to_string(edge) + " squared");
            if (image->frames != m_options.frames)
                throw EngineError(EngineError::Kind::WrongUsage,
                    image->file.string() + ": has " + std::to_string(image->frames) + " frames, but pairs are trained on with "
                        + std::to_string(m_options.frames) + " each; set data.frames to the number that all of them have");
        }
    }
    m_images = &images;
    m_pairs = std::move(pairs);
    m_prompts.clear();
    for (const ImagePair& pair : m_pairs)
        m_prompts.push_back({pair.chosen.caption});
}

at::Tensor ImageRollouts::pairs(const std::vector<std::int64_t>& prompts) const
{
    std::vector<at::Tensor> latents;
    for (const std::int64_t prompt : prompts) {
        const ImagePair& pair = m_pairs.at(static_cast<std::size_t>(prompt));
        for (const PreparedImage* image : {&pair.chosen, &pair.rejected})
            latents.push_back(m_images->latents(*image).mean);
    }
    return at::stack(latents).to(m_pipeline.device());
}

at::Tensor ImageRollouts::rewards(
    const at::Tensor& latents, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts)
{
    const at::Tensor result = at::zeros({latents.size(0)}, at::kFloat);
    m_results.push_back({rows, result});
    if (!scoresHere())
        return result;
    const at::Tensor images = decoded(latents);
    if (!m_groups) {
        submit(images, static_cast<std::int64_t>(rows.front()), prompts);
        return result;
    }
    for (const SampleGroup& group : m_groups->add(images, rows, prompts))
        submit(group.images, group.firstRow, std::vector(static_cast<std::size_t>(m_options.samplesPerPrompt), group.prompt));
    return result;
}

at::Tensor ImageRollouts::decoded(const at::Tensor& latents) const
{
    // Of videos, the device holds one at a time.
    const std::int64_t together = m_pipeline.traits().isVideo() ? 1 : latents.size(0);
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : latents.split(together)) {
        const at::Tensor images = ((m_pipeline.decode(part) + 1) / 2).clamp(0, 1).cpu();
        parts.push_back((images.dim() == 5 ? images.transpose(1, 2) : images).contiguous());
    }
    return parts.size() == 1 ? parts.front() : at::cat(parts);
}

void ImageRollouts::submit(const at::Tensor& images, std::int64_t firstRow, const std::vector<std::int64_t>& prompts)
{
    RewardBatch batch {images, {}};
    for (const std::int64_t prompt : prompts)
        batch.prompts.push_back(&m_prompts.at(static_cast<std::size_t>(prompt)));
    m_batchBytes = images.nbytes();
    m_pending.push_back({m_rewards->submit(std::move(batch)), firstRow});
}

bool ImageRollouts::isFull() const
{
    // So that the samples of a slow scorer do not fill the memory.
    constexpr std::size_t kMostPending = 4, kMostPendingBytes = std::size_t {1} << 30;
    return !m_pending.empty() && (m_pending.size() >= kMostPending || m_pending.size() * m_batchBytes >= kMostPendingBytes);
}

bool ImageRollouts::awaitRewards(bool all, std::chrono::milliseconds patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    bool isReady = true;
    while (isReady && !m_pending.empty() && (all || isFull())) {
        isReady = m_pending.front().scores.wait_until(deadline) == std::future_status::ready;
        if (isReady)
            finishFirst();
    }
    const at::Tensor waiting = at::full({1}, isReady ? 0 : 1, at::TensorOptions(m_pipeline.device()).dtype(at::kFloat));
    m_mesh.world().allReduceSum(waiting, "whether samples are scored");
    return m_mesh.world().onHost(waiting).item<float>() == 0;
}

void ImageRollouts::abandonRewards()
{
    m_rewards->abandon();
    m_pending.clear();
    m_results.clear();
    m_scores.clear();
}

void ImageRollouts::finishFirst()
{
    Pending first = std::move(m_pending.front());
    m_pending.pop_front();
    RewardScores scores = first.scores.get();
    for (const auto& [name, values] : scores.each)
        m_sums[name] += values.sum(at::kDouble).item<double>();
    m_scored += scores.total.size(0);
    m_scores[first.firstRow] = std::move(scores);
}

at::Tensor ImageRollouts::watchedRewards() const { return m_goldRewards.empty() ? at::Tensor() : at::cat(m_goldRewards); }

void ImageRollouts::show(const std::vector<RoundSample>& samples, const at::Tensor& latents)
{
    if (!m_options.keepSample || m_mesh.world().rank() != 0)
        return;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const at::Tensor image = m_pipeline.decode(latents.narrow(0, static_cast<std::int64_t>(i), 1)).to(at::kCPU, at::kFloat);
        m_options.keepSample(samples[i], m_prompts.at(static_cast<std::size_t>(samples[i].prompt)).text,
            image.dim() == 5 ? spacedFrames(image) : image);
    }
}

at::Tensor ImageRollouts::scoresOfRound()
{
    const auto rows = static_cast<std::int64_t>(m_results.size() * m_results.front().rows.size()) * m_mesh.data().size();
    at::Tensor all = at::zeros({rows, 2}, at::kFloat);
    for (const auto& [first, scores] : m_scores) {
        at::Tensor scored = all.narrow(0, first, scores.total.size(0));
        scored.select(1, 0).copy_(scores.total);
        if (hasGold())
            scored.select(1, 1).copy_(scores.each.at(m_options.gold));
    }
    m_scores.clear();
    if (!m_groups)
        return all;
    m_groups->finishRound();
    all = all.to(m_pipeline.device());
    m_mesh.data().allReduceSum(all, "rewards");
    return m_mesh.data().onHost(all);
}

void ImageRollouts::finishRewards()
{
    while (!m_pending.empty())
        finishFirst();
    at::Tensor all = scoresOfRound();
    if (m_mesh.shape().sequence() > 1) {
        all = all.to(m_pipeline.device());
        m_mesh.ulysses().allReduceSum(all, "rewards");
        m_mesh.ring().allReduceSum(all, "rewards");
        all = m_mesh.ring().onHost(all);
    }
    for (const Result& result : m_results) {
        const at::Tensor scores = all.narrow(0, static_cast<std::int64_t>(result.rows.front()), static_cast<std::int64_t>(result.rows.size()));
        result.scores.copy_(scores.select(1, 0));
        if (hasGold())
            m_goldRewards.push_back(scores.select(1, 1).clone());
    }
    m_results.clear();
}

NamedNumbers ImageRollouts::takeRewardMeans()
{
    const std::vector<std::string> names = m_rewards->names();
    std::vector<double> sums = {static_cast<double>(m_scored)};
    for (const std::string& name : names)
        sums.push_back(m_sums[name]);
    const at::Tensor all = at::tensor(sums, at::kDouble).to(m_pipeline.device());
    m_mesh.world().allReduceSum(all, "rewards");
    const at::Tensor host = m_mesh.world().onHost(all);
    NamedNumbers means;
    for (std::size_t i = 0; i < names.size(); ++i)
        means["critic/" + names[i] + "/mean"] = (host[static_cast<std::int64_t>(i) + 1] / host[0]).item<double>();
    if (hasGold())
        means[kGoldReward] = means.at("critic/" + m_options.gold + "/mean");
    m_sums.clear();
    m_scored = 0;
    m_goldRewards.clear();
    return means;
}

}  // namespace engine

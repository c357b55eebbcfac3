#include "engine/train/prepared_pictures.h"

#include "engine/comm/errors.h"
#include "engine/contract/checksum.h"
#include "engine/data/permutation.h"
#include "engine/data/picture_tensor.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace engine {
namespace {

/// Every rank takes the turns that are its own, and waits for the others.
void divide(std::size_t count, Group& ranks, const char* what, const PreparationProgress& tell, const std::function<void(std::size_t)>& work)
{
    constexpr std::size_t kTellEvery = 20;
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    for (std::size_t i = rank, mine = 0; i < count; i += size, ++mine) {
        if (mine % kTellEvery == 0)
            tell(std::string("encodes ") + what + ": " + std::to_string(i) + " of " + std::to_string(count));
        work(i);
    }
    ranks.barrier("after encoding");
}

constexpr int kSizeStep = 16;  ///< of buckets: what autoencoders of factor 8 and patches of 2 × 2 divide

}  // namespace

PreparedPictures::PreparedPictures(
    const PictureOptions& options, const ImagePipeline& pipeline, Group& ranks, const PreparationProgress& tell)
    : m_options(options)
    , m_pipeline(pipeline)
    , m_cache(options.cache)
{
    scan(ranks, tell);
}

std::optional<at::Tensor> PreparedPictures::decoded(const PreparedPicture& picture) const
{
    try {
        if (m_pipeline.traits().isVideo())
            return clipTensor(picture.file, picture.frames, picture.size, m_options.clips);
        return pictureTensor(readPicture(picture.file), picture.size);
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

void PreparedPictures::scan(Group& ranks, const PreparationProgress& tell)
{
    const PictureFolder folder = m_pipeline.traits().isVideo() ? scanClipFolder(m_options.folder, m_options.clips) : scanPictureFolder(m_options.folder);
    m_broken = folder.broken;
    const auto sizes = aspectBuckets(m_options.resolution, kSizeStep, m_options.maxRatio);
    std::vector<PreparedPicture> all;
    for (const PictureEntry& entry : folder.pictures) {
        const PictureSize size = sizes[nearestBucket(sizes, entry.size)];
        all.push_back({entry.file, entry.caption, size, entry.frames, pictureKey(entry, size)});
    }
    std::vector<PreparedPicture> missing;
    std::ranges::copy_if(all, std::back_inserter(missing), [&](const PreparedPicture& picture) { return !m_cache.has(picture.key); });
    divide(missing.size(), ranks, "pictures", tell, [&](std::size_t i) {
        if (const auto pixels = decoded(missing[i]))  // else its latents are missing: every rank sees that below
            encode(missing[i], *pixels);
    });
    std::vector<PreparedPicture> whole;
    for (PreparedPicture& picture : all) {
        if (m_cache.has(picture.key))
            whole.push_back(std::move(picture));
        else
            m_broken.push_back({picture.file, picture.file.string() + ": cannot be decoded"});
    }
    if (whole.empty())
        throw EngineError(EngineError::Kind::Failure, m_options.folder.string() + ": no picture in it can be decoded");
    const auto held = std::min<std::int64_t>(std::llround(m_options.validationFraction * static_cast<double>(whole.size())), static_cast<std::int64_t>(whole.size()) - 1);
    const auto order = randomPermutation(static_cast<std::int64_t>(whole.size()), m_options.seed, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto& part = static_cast<std::int64_t>(i) < held ? m_validation : m_training;
        part.push_back(std::move(whole[static_cast<std::size_t>(order[i])]));
    }
    std::ranges::sort(m_training, {}, &PreparedPicture::file);
}

std::string PreparedPictures::pictureKey(const PictureEntry& entry, PictureSize size) const
{
    const std::string content = m_pipeline.traits().isVideo()
        ? "clip " + clipContent(entry, m_options.clips) + ", " + std::to_string(entry.frames) + " frames"
        : "picture " + contract::checksumOf(entry.file);
    return FeatureCache::keyOf(m_options.encoders + "\n" + content + " " + std::to_string(size.width) + " × " + std::to_string(size.height));
}

std::string PreparedPictures::textKey(const std::string& text) const
{
    return FeatureCache::keyOf(m_options.encoders + "\ntext " + text);
}

void PreparedPictures::encode(const PreparedPicture& picture, const at::Tensor& pixels) const
{
    const ImagePipeline::Latents latents = m_pipeline.encode(pixels.unsqueeze(0));
    m_cache.write(picture.key, {{"mean", latents.mean[0].cpu()}, {"deviation", latents.deviation[0].cpu()}});
}

ImagePipeline::Latents PreparedPictures::latents(const PreparedPicture& picture) const
{
    const auto tensors = m_cache.read(picture.key);
    return {tensors.at("mean"), tensors.at("deviation")};
}

std::vector<std::vector<std::int64_t>> PreparedPictures::buckets() const
{
    std::map<std::tuple<int, int, std::int64_t>, std::vector<std::int64_t>> rows;
    for (std::size_t i = 0; i < m_training.size(); ++i)
        rows[{m_training[i].size.width, m_training[i].size.height, m_training[i].frames}].push_back(static_cast<std::int64_t>(i));
    std::vector<std::vector<std::int64_t>> buckets;
    for (auto& [size, members] : rows)
        buckets.push_back(std::move(members));
    return buckets;
}

void PreparedPictures::prepareTexts(
    const std::set<std::string>& texts, Group& ranks, const PreparationProgress& tell, const PromptEncoder* sharded) const
{
    std::vector<std::string> missing;
    std::ranges::copy_if(texts, std::back_inserter(missing), [&](const std::string& text) { return !m_cache.has(textKey(text)); });
    if (!sharded) {
        divide(missing.size(), ranks, "texts", tell, [&](std::size_t i) { encodeText(missing[i]); });
        return;
    }
    // All ranks take part in each turn: who has no text left helps with the last one.
    const auto size = static_cast<std::size_t>(ranks.size());
    divide((missing.size() + size - 1) / size * size, ranks, "texts", tell, [&](std::size_t i) {
        const std::string& text = missing[std::min(i, missing.size() - 1)];
        const PromptFeatures features = sharded->encode(std::span(&text, 1));
        if (i < missing.size())
            keep(text, features);
    });
}

PromptFeatures PreparedPictures::encodeText(const std::string& text) const
{
    const PromptFeatures features = m_pipeline.features(std::span(&text, 1));
    keep(text, features);
    return features;
}

void PreparedPictures::keep(const std::string& text, const PromptFeatures& features) const
{
    FeatureCache::Tensors tensors;
    tensors["embeds"] = features.embeds[0].to(at::kCPU, m_options.dtype);
    if (features.pooled.defined())
        tensors["pooled"] = features.pooled[0].to(at::kCPU, m_options.dtype);
    m_cache.write(textKey(text), tensors);
}

PromptFeatures PreparedPictures::features(const std::string& text) const
{
    if (!m_cache.has(textKey(text)))
        return encodeText(text);
    const auto tensors = m_cache.read(textKey(text));
    PromptFeatures features {tensors.at("embeds").to(at::kFloat).unsqueeze(0), {}, {}};
    if (const auto pooled = tensors.find("pooled"); pooled != tensors.end())
        features.pooled = pooled->second.to(at::kFloat).unsqueeze(0);
    return features;
}

PromptFeatures stacked(const std::vector<PromptFeatures>& parts)
{
    std::int64_t longest = 0;
    for (const PromptFeatures& part : parts)
        longest = std::max(longest, part.embeds.size(1));
    std::vector<at::Tensor> embeds, masks, pooled;
    bool isRagged = false;
    for (const PromptFeatures& part : parts) {
        const std::int64_t length = part.embeds.size(1);
        isRagged |= length < longest;
        embeds.push_back(at::constant_pad_nd(part.embeds, {0, 0, 0, longest - length}));
        masks.push_back(at::arange(longest).lt(length).unsqueeze(0));
        if (part.pooled.defined())
            pooled.push_back(part.pooled);
    }
    return {at::cat(embeds), isRagged ? at::cat(masks) : at::Tensor(), pooled.empty() ? at::Tensor() : at::cat(pooled)};
}

}  // namespace engine

#include "engine/train/prepared_pictures.h"

#include "engine/comm/errors.h"
#include "engine/contract/checksum.h"
#include "engine/contract/safetensors.h"
#include "engine/data/permutation.h"
#include "engine/data/picture_tensor.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace engine {
namespace {

// Names in a file of tensors that another program has computed.
constexpr char kLatents[] = "latents";                     // [C, h, w] as the transformer takes them
constexpr char kDeviation[] = "latents_deviation";         // [C, h, w]; may be missing: 0
constexpr char kPrompt[] = "prompt_embeds";                // [L, D]; may be missing: the caption is encoded
constexpr char kPooled[] = "pooled_prompt_embeds";         // [P]; where the pipeline has such

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

/// Of buckets: what most autoencoders and patches of 2 × 2 divide, and the pipeline's own do.
int sizeStep(const PictureOptions& options, const ImagePipeline& pipeline)
{
    constexpr std::int64_t kUsual = 16;
    const std::int64_t step = std::max(kUsual, pipeline.sizeStep());
    if (options.resolution % step != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "data.resolution = " + std::to_string(options.resolution) + ": this model needs a multiple of " + std::to_string(step));
    return static_cast<int>(step);
}

/// @throws std::runtime_error unless it is there in those dims, floating-point, with @p width numbers in the last one.
void requireTensor(const contract::SafetensorsFile& file, const char* name, std::size_t dims, std::int64_t dim, std::int64_t size)
{
    const auto* const tensor = file.find(name);
    const std::string where = file.path().string() + ": " + name;
    if (!tensor)
        throw std::runtime_error(where + " is missing");
    if (tensor->dtype != "F32" && tensor->dtype != "F16" && tensor->dtype != "BF16")
        throw std::runtime_error(where + " is of dtype " + tensor->dtype + "; F32, F16 and BF16 are read");
    if (tensor->shape.size() != dims || tensor->elements() == 0)
        throw std::runtime_error(where + " has " + std::to_string(tensor->shape.size()) + " dimensions, or none of a size; it should have " + std::to_string(dims));
    if (tensor->shape[static_cast<std::size_t>(dim)] != size)
        throw std::runtime_error(where + " has " + std::to_string(tensor->shape[static_cast<std::size_t>(dim)]) + " numbers in dimension "
            + std::to_string(dim) + "; the model takes " + std::to_string(size));
}

}  // namespace

PreparedPictures::PreparedPictures(
    const PictureOptions& options, const ImagePipeline& pipeline, Group& ranks, const PreparationProgress& tell)
    : m_options(options)
    , m_pipeline(pipeline)
    , m_cache(options.cache)
{
    scan(ranks, tell);
}

void PreparedPictures::scan(Group& ranks, const PreparationProgress& tell)
{
    std::vector<PreparedPicture> all = found(m_options.folder, /*isPrior=*/false);
    if (!m_options.priorFolder.empty())
        std::ranges::move(found(m_options.priorFolder, /*isPrior=*/true), std::back_inserter(all));
    const auto isThere = [&](const PreparedPicture& picture) { return picture.key.empty() || m_cache.has(picture.key); };
    std::vector<PreparedPicture> missing;
    std::ranges::copy_if(all, std::back_inserter(missing), std::not_fn(isThere));
    divide(missing.size(), ranks, "pictures", tell, [&](std::size_t i) {
        encode(missing[i]);  // where that fails, its latents are missing: every rank sees that below
    });
    std::vector<PreparedPicture> whole;
    for (PreparedPicture& picture : all) {
        if (isThere(picture))
            whole.push_back(std::move(picture));
        else
            m_broken.push_back({picture.file, picture.file.string() + (picture.mask.empty() ? "" : " or its mask") + ": cannot be decoded"});
    }
    holdOut(std::move(whole));
}

void PreparedPictures::holdOut(std::vector<PreparedPicture> pictures)
{
    const auto firstPrior = std::ranges::stable_partition(pictures, [](const PreparedPicture& picture) { return !picture.isPrior; }).begin();
    const auto own = static_cast<std::int64_t>(firstPrior - pictures.begin());
    if (own == 0)
        throw EngineError(EngineError::Kind::Failure, m_options.folder.string() + ": no picture in it can be decoded"
                + (m_broken.empty() ? "" : ". " + m_broken.front().reason));
    const auto held = std::min<std::int64_t>(std::llround(m_options.validationFraction * static_cast<double>(own)), own - 1);
    const auto order = randomPermutation(own, m_options.seed, 0);
    m_training.assign(std::make_move_iterator(firstPrior), std::make_move_iterator(pictures.end()));
    for (std::int64_t i = 0; i < own; ++i)
        (i < held ? m_validation : m_training).push_back(std::move(pictures[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]));
    std::ranges::sort(m_training, {}, &PreparedPicture::file);
}

PictureFolder PreparedPictures::scanned(const std::filesystem::path& folder) const
{
    return m_pipeline.traits().isVideo() ? scanClipFolder(folder, m_options.clips) : scanPictureFolder(folder, m_options.hasRepeats);
}

std::vector<PreparedPicture> PreparedPictures::found(const std::filesystem::path& folder, bool isPrior)
{
    const PictureFolder entries = scanned(folder);
    std::ranges::copy(entries.broken, std::back_inserter(m_broken));
    const auto sizes = aspectBuckets(m_options.resolution, sizeStep(m_options, m_pipeline), m_options.maxRatio);
    std::vector<PreparedPicture> pictures;
    for (const PictureEntry& entry : entries.pictures) {
        PreparedPicture picture {.file = entry.file, .caption = entry.caption, .size = sizes[nearestBucket(sizes, entry.size)],
            .frames = entry.frames, .repeats = entry.repeats, .isPrior = isPrior, .key = {}, .mask = entry.mask};
        picture.isAlphaMask = m_options.hasAlphaMasks && entry.mask.empty() && !m_pipeline.traits().isVideo();
        try {
            picture.key = pictureKey(entry, picture);
            pictures.push_back(std::move(picture));
        } catch (const std::exception& error) {
            m_broken.push_back({entry.file, error.what()});
        }
    }
    for (const PictureEntry& entry : entries.precomputed) {
        try {
            pictures.push_back(precomputed(entry));
            pictures.back().isPrior = isPrior;
        } catch (const std::runtime_error& error) {
            m_broken.push_back({entry.file, error.what()});
        }
    }
    return pictures;
}

PreparedPicture PreparedPictures::precomputed(const PictureEntry& entry) const
{
    constexpr std::int64_t kSome = 1024;  // pixels that every pipeline's latents divide
    const contract::SafetensorsFile file(entry.file);
    const auto some = m_pipeline.latentShape(kSome, kSome);
    requireTensor(file, kLatents, 3, 0, some.front());
    const auto& shape = file.find(kLatents)->shape;
    if (file.find(kDeviation)) {
        requireTensor(file, kDeviation, 3, 0, some.front());
        if (file.find(kDeviation)->shape != shape)
            throw std::runtime_error(entry.file.string() + ": " + kDeviation + " is of another shape than " + kLatents);
    }
    const std::int64_t factor = kSome / some.back();
    if (shape[1] * factor > kSome * 64 || shape[2] * factor > kSome * 64 || shape[1] % 2 != 0 || shape[2] % 2 != 0)
        throw std::runtime_error(entry.file.string() + ": " + kLatents + " must have an even height and width, not too large");
    PreparedPicture picture {.file = entry.file, .caption = entry.caption,
        .size = {static_cast<int>(shape[2] * factor), static_cast<int>(shape[1] * factor)}, .repeats = entry.repeats, .key = {}, .mask = {}};
    if (!file.find(kPrompt))
        return picture;
    const PromptFeatures empty = features(std::string());
    requireTensor(file, kPrompt, 2, 1, empty.embeds.size(2));
    if (empty.pooled.defined())
        requireTensor(file, kPooled, 1, 0, empty.pooled.size(1));
    picture.hasPrompt = true;
    if (picture.caption.empty())  // that of no words means a dropped one
        picture.caption = entry.file.stem().string();
    return picture;
}

std::string PreparedPictures::pictureKey(const PictureEntry& entry, const PreparedPicture& picture) const
{
    const std::string content = m_pipeline.traits().isVideo()
        ? "clip " + clipContent(entry, m_options.clips) + ", " + std::to_string(entry.frames) + " frames"
        : "picture " + contract::checksumOf(entry.file);
    return FeatureCache::keyOf(m_options.encoders + "\n" + content + " " + std::to_string(picture.size.width) + " × "
        + std::to_string(picture.size.height)
        + (picture.isAlphaMask ? " alpha" : entry.mask.empty() ? "" : " mask " + contract::checksumOf(entry.mask)));
}

std::string PreparedPictures::textKey(const std::string& text) const
{
    return FeatureCache::keyOf(m_options.encoders + "\ntext " + text);
}

/// @return [3, (F,) H, W]
at::Tensor PreparedPictures::decoded(const PreparedPicture& picture) const
{
    if (m_pipeline.traits().isVideo())
        return clipTensor(picture.file, picture.frames, picture.size, m_options.clips);
    return pictureTensor(readPicture(picture.file), picture.size);
}

/// @return whether it could be decoded
bool PreparedPictures::encode(const PreparedPicture& picture) const
{
    at::Tensor pixels;
    FeatureCache::Tensors tensors;
    try {
        pixels = decoded(picture);
        if (picture.isAlphaMask || !picture.mask.empty()) {
            const auto shape = m_pipeline.latentShape(picture.size.height, picture.size.width);
            const Picture mask = picture.isAlphaMask ? readPicture(picture.file, PicturePart::Alpha) : readPicture(picture.mask);
            tensors["mask"] = maskTensor(mask, {static_cast<int>(shape[2]), static_cast<int>(shape[1])});
        }
    } catch (const std::runtime_error&) {
        return false;
    }
    const ImagePipeline::Latents latents = m_pipeline.encode(pixels.unsqueeze(0));
    tensors["mean"] = latents.mean[0].cpu();
    tensors["deviation"] = latents.deviation[0].cpu();
    m_cache.write(picture.key, tensors);
    return true;
}

PictureLatents PreparedPictures::latents(const PreparedPicture& picture) const
{
    if (picture.key.empty()) {
        const auto tensors = FeatureCache::tensorsIn(picture.file);
        const at::Tensor mean = tensors.at(kLatents).to(at::kFloat);
        const auto deviation = tensors.find(kDeviation);
        return {mean, deviation == tensors.end() ? at::zeros_like(mean) : deviation->second.to(at::kFloat), {}};
    }
    const auto tensors = m_cache.read(picture.key);
    const auto mask = tensors.find("mask");
    return {tensors.at("mean"), tensors.at("deviation"),
        mask == tensors.end() ? at::Tensor() : mask->second * (1 - m_options.unmaskedWeight) + m_options.unmaskedWeight};
}

std::vector<std::vector<std::int64_t>> PreparedPictures::buckets() const
{
    std::map<std::tuple<int, int, std::int64_t>, std::vector<std::int64_t>> rows;
    const auto add = [&](std::size_t row) {
        const PreparedPicture& picture = m_training[row];
        rows[{picture.size.width, picture.size.height, picture.frames}].push_back(static_cast<std::int64_t>(row));
    };
    std::vector<std::size_t> prior;
    std::size_t own = 0;
    for (std::size_t i = 0; i < m_training.size(); ++i) {
        for (std::int64_t copy = 0; copy < m_training[i].repeats; ++copy) {
            if (m_training[i].isPrior)
                prior.push_back(i);
            else
                add(i);
            own += m_training[i].isPrior ? 0 : 1;
        }
    }
    for (std::size_t i = 0; !prior.empty() && i < own; ++i)
        add(prior[i % prior.size()]);
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

bool PreparedPictures::hasFeatures(const PreparedPicture& picture, const std::string& seen) const
{
    return (picture.hasPrompt && !seen.empty()) || m_cache.has(textKey(seen));
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

PromptFeatures PreparedPictures::features(const PreparedPicture& picture, const std::string& seen) const
{
    if (!picture.hasPrompt || seen.empty())
        return features(seen);
    const auto tensors = FeatureCache::tensorsIn(picture.file);
    PromptFeatures features {tensors.at(kPrompt).to(at::kFloat).unsqueeze(0), {}, {}};
    if (const auto pooled = tensors.find(kPooled); pooled != tensors.end())
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

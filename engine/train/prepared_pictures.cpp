#include "engine/train/prepared_pictures.h"

#include "engine/comm/errors.h"
#include "engine/contract/checksum.h"
#include "engine/data/permutation.h"
#include "engine/data/picture_tensor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace engine {
namespace {

/// Of buckets: what most autoencoders and patches of 2 × 2 divide, and the pipeline's own do.
int sizeStep(const PictureOptions& options, const DiffusionPipeline& pipeline)
{
    constexpr std::int64_t kUsual = 16;
    const std::int64_t step = std::max(kUsual, pipeline.sizeStep());
    if (options.resolution % step != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "data.resolution = " + std::to_string(options.resolution) + ": this model needs a multiple of " + std::to_string(step));
    return static_cast<int>(step);
}

}  // namespace

PreparedPictures::PreparedPictures(
    const PictureOptions& options, const DiffusionPipeline& pipeline, Group& ranks, const PreparationProgress& tell)
    : m_options(options)
    , m_pipeline(pipeline)
    , m_cache(options.cache)
    , m_prompts(pipeline, m_cache, options.encoders, options.dtype)
{
    scan(ranks, tell);
}

void PreparedPictures::scan(Group& ranks, const PreparationProgress& tell)
{
    std::vector<PreparedPicture> all = found(m_options.folder, /*isPrior=*/false, ranks);
    if (!m_options.priorFolder.empty())
        std::ranges::move(found(m_options.priorFolder, /*isPrior=*/true, ranks), std::back_inserter(all));
    const auto isThere = [&](const PreparedPicture& picture) { return picture.key.empty() || m_cache.has(picture.key); };
    const auto missing = missingAnywhere(ranks, m_pipeline.device(), all.size(), [&](std::size_t i) { return isThere(all[i]); });
    divideAmong(ranks, missing.size(), "pictures", tell, [&](std::size_t i) {
        encode(all[missing[i]]);  // where that fails, its latents are missing: every rank sees that below
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

std::vector<PreparedPicture> PreparedPictures::found(const std::filesystem::path& folder, bool isPrior, Group& ranks)
{
    const PictureFolder entries = scanned(folder);
    std::ranges::copy(entries.broken, std::back_inserter(m_broken));
    const auto sizes = aspectBuckets(m_options.resolution, sizeStep(m_options, m_pipeline), m_options.maxRatio);
    const auto sizeOf = [&](const PictureEntry& entry) { return sizes[nearestBucket(sizes, entry.size)]; };
    const auto keys = textsOfAll(ranks, m_pipeline.device(), entries.pictures.size(), FeatureCache::kKeyLength,
        [&](std::size_t i) { return pictureKey(entries.pictures[i], sizeOf(entries.pictures[i])); });
    std::vector<PreparedPicture> pictures;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const PictureEntry& entry = entries.pictures[i];
        if (keys[i].empty())
            m_broken.push_back({entry.file, whyUnreadable(entry)});
        else
            pictures.push_back({.file = entry.file, .caption = entry.caption, .size = sizeOf(entry), .frames = entry.frames,
                .repeats = entry.repeats, .isPrior = isPrior, .key = keys[i], .mask = entry.mask, .isAlphaMask = isAlphaMask(entry)});
    }
    for (const PictureEntry& entry : entries.precomputed) {
        try {
            const ComputedForm form = computedForm(entry.file, m_pipeline, [&] { return m_prompts.features(std::string()); });
            const bool isNamed = form.hasPrompt && entry.caption.empty();  // no words at all would mean a dropped prompt
            pictures.push_back({.file = entry.file, .caption = isNamed ? entry.file.stem().string() : entry.caption, .size = form.size,
                .repeats = entry.repeats, .isPrior = isPrior, .key = {}, .hasPrompt = form.hasPrompt, .mask = {}});
        } catch (const std::runtime_error& error) {
            m_broken.push_back({entry.file, error.what()});
        }
    }
    return pictures;
}

bool PreparedPictures::isAlphaMask(const PictureEntry& entry) const
{
    return m_options.hasAlphaMasks && entry.mask.empty() && !m_pipeline.traits().isVideo();
}

/// Reads its files.
std::string PreparedPictures::pictureKey(const PictureEntry& entry, PictureSize size) const
{
    const std::string content = m_pipeline.traits().isVideo()
        ? "clip " + clipContent(entry, m_options.clips) + ", " + std::to_string(entry.frames) + " frames"
        : "picture " + contract::checksumOf(entry.file);
    return FeatureCache::keyOf(m_options.encoders + "\n" + content + " " + std::to_string(size.width) + " × " + std::to_string(size.height)
        + (isAlphaMask(entry) ? " alpha" : entry.mask.empty() ? "" : " mask " + contract::checksumOf(entry.mask)));
}

/// Of what another rank may have tried.
std::string PreparedPictures::whyUnreadable(const PictureEntry& entry) const
{
    try {
        pictureKey(entry, entry.size);
    } catch (const std::exception& error) {
        return error.what();
    }
    return entry.file.string() + ": could not be read at the start";
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
    const DiffusionPipeline::Latents latents = m_pipeline.encode(pixels.unsqueeze(0));
    tensors["mean"] = latents.mean[0].cpu();
    tensors["deviation"] = latents.deviation[0].cpu();
    m_cache.write(picture.key, tensors);
    return true;
}

PictureLatents PreparedPictures::latents(const PreparedPicture& picture) const
{
    if (picture.key.empty())
        return computedLatents(picture.file);
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

bool PreparedPictures::hasFeatures(const PreparedPicture& picture, const std::string& seen) const
{
    return (picture.hasPrompt && !seen.empty()) || m_prompts.has(seen);
}

PromptFeatures PreparedPictures::features(const PreparedPicture& picture, const std::string& seen) const
{
    return picture.hasPrompt && !seen.empty() ? computedPrompt(picture.file) : m_prompts.features(seen);
}

}  // namespace engine

#include "engine/tasks/prepared_images.h"

#include "engine/comm/errors.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/checksum.h"
#include "engine/data/permutation.h"
#include "engine/data/image_tensor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

namespace engine {
namespace {

/// Returns the step of bucket sizes in pixels: at least 16, which fits most autoencoders with 2 × 2 patches.
/// @throws EngineError WrongUsage when data.resolution is not a multiple of it.
int sizeStep(const ImageOptions& options, const DiffusionPipeline& pipeline)
{
    constexpr std::int64_t kUsual = 16;
    const std::int64_t step = std::max(kUsual, pipeline.sizeStep());
    if (options.resolution % step != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "data.resolution = " + std::to_string(options.resolution) + ": this model needs a multiple of " + std::to_string(step));
    return static_cast<int>(step);
}

/// Path, size and time of a file, on a line; empty for a subfolder and for a link that leads nowhere, which no encoder reads.
std::string identityOf(const std::filesystem::path& entry)
{
    std::error_code error;
    const auto file = std::filesystem::canonical(entry, error);
    if (error || !std::filesystem::is_regular_file(file, error))
        return {};
    return file.string() + " " + std::to_string(std::filesystem::file_size(file)) + " "
        + std::to_string(std::filesystem::last_write_time(file).time_since_epoch().count()) + "\n";
}

}  // namespace

ImageOptions imageOptions(const contract::Experiment& experiment, const DiffusionPipeline& pipeline, const std::filesystem::path& folder,
    const std::filesystem::path& cache, const std::string& encoders)
{
    const std::string& ownCache = experiment.text("data.cache");
    const std::int64_t resolution = experiment.integer("data.resolution");
    if (const std::int64_t most = pipeline.maxSide(); most > 0 && resolution > most)
        throw EngineError(EngineError::Kind::WrongUsage, "data.resolution = " + std::to_string(resolution) + ": the model takes images of at most "
                + std::to_string(most) + " × " + std::to_string(most) + " pixels");
    // Stored pairs are all of one size, and none is held out.
    const bool hasPairs = contract::policySettings(experiment).forward.hasStoredPairs;
    return {.folder = folder,
        .hasRepeats = experiment.boolean("data.folder_repeats"),
        .priorFolder = experiment.text("data.prior_folder"),
        .priorWeight = experiment.real("data.prior_weight"),
        .hasAlphaMasks = experiment.boolean("data.alpha_masks"),
        .unmaskedWeight = experiment.real("data.unmasked_weight"),
        .resolution = static_cast<int>(resolution),
        .maxRatio = hasPairs ? 1 : experiment.real("data.max_ratio"),
        .validationFraction = hasPairs ? 0 : experiment.real("data.validation_fraction"),
        .seed = static_cast<std::uint64_t>(experiment.integer("run.seed")),
        .cache = ownCache.empty() ? cache / "features" : std::filesystem::path(ownCache),
        .encoders = encoders + experiment.text("engine.compute_dtype"),
        .dtype = experiment.text("engine.compute_dtype") == "bf16" ? at::kBFloat16 : at::kFloat,
        .videos = {experiment.real("data.frame_rate"), pipeline.framesWithin(experiment.integer("data.frames")), pipeline.temporalFactor()}};
}

ImageFolder scanned(const std::filesystem::path& folder, const ImageOptions& options, const DiffusionPipeline& pipeline)
{
    return pipeline.traits().isVideo() ? scanVideoFolder(folder, options.videos) : scanImageFolder(folder, options.hasRepeats);
}

std::vector<ImageSize> bucketSizes(const ImageOptions& options, const DiffusionPipeline& pipeline)
{
    return aspectBuckets(options.resolution, sizeStep(options, pipeline), options.maxRatio);
}

bool usesAlphaMask(const ImageEntry& entry, const ImageOptions& options, const DiffusionPipeline& pipeline)
{
    return options.hasAlphaMasks && entry.mask.empty() && !pipeline.traits().isVideo();
}

std::string imageKey(const ImageEntry& entry, ImageSize size, const ImageOptions& options, const DiffusionPipeline& pipeline)
{
    // "clip" and "picture" stay as they are in keys: users have caches with these words.
    const std::string content = pipeline.traits().isVideo()
        ? "clip " + videoContent(entry, options.videos) + ", " + std::to_string(entry.frames) + " frames"
        : "picture " + contract::checksumOf(entry.file);
    return FeatureCache::keyOf(options.encoders + "\n" + content + " " + std::to_string(size.width) + " × " + std::to_string(size.height)
        + (usesAlphaMask(entry, options, pipeline) ? " alpha" : entry.mask.empty() ? "" : " mask " + contract::checksumOf(entry.mask)));
}

std::string encodersOf(const contract::ModelFolder& folder)
{
    std::string text;
    for (const auto& [name, component] : folder.components()) {
        if (name.starts_with("transformer") || name == "scheduler")
            continue;
        std::error_code error;
        for (std::filesystem::directory_iterator entry(folder.component(name), error), end; !error && entry != end; entry.increment(error))
            text += identityOf(entry->path());
        if (error)
            throw std::runtime_error(folder.component(name).string() + ": cannot be read (" + error.message() + ")");
    }
    return FeatureCache::keyOf(text);
}

PreparedImages::PreparedImages(
    const ImageOptions& options, const DiffusionPipeline& pipeline, Group& ranks, const PreparationProgress& reportProgress)
    : m_options(options)
    , m_pipeline(pipeline)
    , m_cache(options.cache)
    , m_prompts(pipeline, m_cache, options.encoders, options.dtype)
{
    if (!options.folder.empty())
        scan(ranks, reportProgress);
}

void PreparedImages::scan(Group& ranks, const PreparationProgress& reportProgress)
{
    std::vector<PreparedImage> all = entriesIn(m_options.folder, /*isPrior=*/false, ranks);
    if (!m_options.priorFolder.empty())
        std::ranges::move(entriesIn(m_options.priorFolder, /*isPrior=*/true, ranks), std::back_inserter(all));
    const auto missing = missingItems(ranks, m_pipeline.device(), all.size(),
        [&](std::size_t i) { return all[i].key.empty() || m_cache.has(all[i].key); });
    const auto failed = divideAmong(ranks, m_pipeline.device(), missing.size(), "images", reportProgress,
        [&](std::size_t i) { return encode(all[missing[i]]); });
    std::set<std::size_t> undecoded;
    for (const std::size_t i : failed)
        undecoded.insert(missing[i]);
    std::vector<PreparedImage> usable;
    for (std::size_t i = 0; i < all.size(); ++i) {
        PreparedImage& image = all[i];
        if (!undecoded.contains(i))
            usable.push_back(std::move(image));
        else
            m_broken.push_back({image.file, image.file.string() + (image.mask.empty() ? "" : " or its mask") + ": cannot be decoded"});
    }
    holdOut(std::move(usable));
}

void PreparedImages::holdOut(std::vector<PreparedImage> images)
{
    const auto firstPrior = std::ranges::stable_partition(images, [](const PreparedImage& image) { return !image.isPrior; }).begin();
    const auto own = static_cast<std::int64_t>(firstPrior - images.begin());
    if (own == 0)
        throw EngineError(EngineError::Kind::Failure, m_options.folder.string() + ": none of its images can be decoded"
                + (m_broken.empty() ? "" : ". " + m_broken.front().reason));
    const auto held = std::min<std::int64_t>(std::llround(m_options.validationFraction * static_cast<double>(own)), own - 1);
    const auto order = randomPermutation(own, m_options.seed, 0);
    m_training.assign(std::make_move_iterator(firstPrior), std::make_move_iterator(images.end()));
    for (std::int64_t i = 0; i < own; ++i)
        (i < held ? m_validation : m_training).push_back(std::move(images[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]));
    std::ranges::sort(m_training, {}, &PreparedImage::file);
}

/// Reads the folder, captions and headers.
ImageListing PreparedImages::list(const std::filesystem::path& folder) const
{
    ImageFolder entries = scanned(folder, m_options, m_pipeline);
    ImageListing listing {std::move(entries.images), {}, std::move(entries.broken)};
    for (ImageEntry& entry : entries.precomputed) {
        try {
            const PrecomputedInfo info = readPrecomputedInfo(entry.file, m_pipeline, [&] { return m_prompts.features(std::string()); });
            entry.size = info.size;
            listing.precomputed.push_back({entry, info.hasPrompt});
        } catch (const std::runtime_error& error) {
            listing.broken.push_back({entry.file, firstLine(error)});
        }
    }
    return listing;
}

std::vector<PreparedImage> PreparedImages::entriesIn(const std::filesystem::path& folder, bool isPrior, Group& ranks)
{
    const ImageListing entries = imageListingFrom(decidedByFirst(
        ranks, m_pipeline.device(), "scanning " + folder.string(), [&](const std::function<void()>&) { return toBytes(list(folder)); }));
    std::ranges::copy(entries.broken, std::back_inserter(m_broken));
    const auto sizes = bucketSizes(m_options, m_pipeline);
    const auto sizeOf = [&](const ImageEntry& entry) { return sizes[nearestBucket(sizes, entry.size)]; };
    const auto keys = gatherTexts(ranks, m_pipeline.device(), entries.images.size(), FeatureCache::kKeyLength,
        [&](std::size_t i) { return imageKey(entries.images[i], sizeOf(entries.images[i]), m_options, m_pipeline); });
    std::vector<PreparedImage> images;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const ImageEntry& entry = entries.images[i];
        if (keys[i].empty())
            m_broken.push_back({entry.file, whyUnreadable(entry)});
        else
            images.push_back({.file = entry.file, .caption = entry.caption, .size = sizeOf(entry), .original = entry.size, .frames = entry.frames,
                .repeats = entry.repeats, .isPrior = isPrior, .key = keys[i], .mask = entry.mask, .isAlphaMask = usesAlphaMask(entry, m_options, m_pipeline)});
    }
    for (const auto& [entry, hasPrompt] : entries.precomputed) {
        const bool usesFileName = hasPrompt && entry.caption.empty();  // an empty caption would count as a dropped one
        images.push_back({.file = entry.file, .caption = usesFileName ? entry.file.stem().string() : entry.caption, .size = entry.size,
            .original = entry.size, .repeats = entry.repeats, .isPrior = isPrior, .key = {}, .hasPrompt = hasPrompt, .mask = {}});
    }
    return images;
}

/// Returns why the key of @p entry could not be computed. Tries again, since another rank may have made the first attempt.
std::string PreparedImages::whyUnreadable(const ImageEntry& entry) const
{
    try {
        imageKey(entry, entry.size, m_options, m_pipeline);
    } catch (const std::exception& error) {
        return firstLine(error);
    }
    return entry.file.string() + ": could not be read when the images were scanned";
}

/// @return [3, (F,) H, W]
at::Tensor PreparedImages::decoded(const PreparedImage& image) const
{
    if (m_pipeline.traits().isVideo())
        return videoTensor(image.file, image.frames, image.size, m_options.videos);
    return imageTensor(readImage(image.file), image.size);
}

/// Encodes an image into the cache. @return whether it could be decoded
bool PreparedImages::encode(const PreparedImage& image) const
{
    at::Tensor pixels;
    FeatureCache::Tensors tensors;
    try {
        pixels = decoded(image);
        if (image.isAlphaMask || !image.mask.empty()) {
            const auto shape = m_pipeline.latentShape(image.size.height, image.size.width);
            const Image mask = image.isAlphaMask ? readImage(image.file, ImagePart::Alpha) : readImage(image.mask);
            tensors["mask"] = maskTensor(mask, {static_cast<int>(shape[2]), static_cast<int>(shape[1])});
        }
    } catch (const std::runtime_error&) {
        return false;
    }
    const DiffusionPipeline::Latents latents = m_pipeline.encode(pixels.unsqueeze(0));
    tensors["mean"] = latents.mean[0].cpu();
    tensors["deviation"] = latents.deviation[0].cpu();
    m_cache.write(image.key, tensors);
    return true;
}

ImageLatents PreparedImages::latents(const PreparedImage& image) const
{
    if (image.key.empty())
        return readPrecomputedLatents(image.file);
    const auto tensors = m_cache.read(image.key, {"mean", "deviation"});
    const auto mask = tensors.find("mask");
    return {tensors.at("mean"), tensors.at("deviation"),
        mask == tensors.end() ? at::Tensor() : mask->second * (1 - m_options.unmaskedWeight) + m_options.unmaskedWeight};
}

std::vector<std::vector<std::int64_t>> PreparedImages::buckets() const
{
    std::map<std::tuple<int, int, std::int64_t>, std::vector<std::int64_t>> rows;
    const auto add = [&](std::size_t row) {
        const PreparedImage& image = m_training[row];
        rows[{image.size.width, image.size.height, image.frames}].push_back(static_cast<std::int64_t>(row));
    };
    std::vector<std::size_t> prior;
    std::size_t ownRows = 0;  // rows that are not prior images
    for (std::size_t i = 0; i < m_training.size(); ++i) {
        for (std::int64_t copy = 0; copy < m_training[i].repeats; ++copy) {
            if (m_training[i].isPrior)
                prior.push_back(i);
            else
                add(i);
            ownRows += m_training[i].isPrior ? 0 : 1;
        }
    }
    for (std::size_t i = 0; !prior.empty() && i < ownRows; ++i)
        add(prior[i % prior.size()]);
    std::vector<std::vector<std::int64_t>> buckets;
    for (auto& [size, members] : rows)
        buckets.push_back(std::move(members));
    return buckets;
}

bool PreparedImages::hasFeatures(const PreparedImage& image, const std::string& caption) const
{
    return (image.hasPrompt && !caption.empty()) || m_prompts.has(caption);
}

PromptFeatures PreparedImages::features(const PreparedImage& image, const std::string& caption) const
{
    return image.hasPrompt && !caption.empty() ? readPrecomputedPrompt(image.file) : m_prompts.features(caption);
}

}  // namespace engine

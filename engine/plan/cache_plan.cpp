#include "engine/plan/cache_plan.h"

#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/run/emoji_files.h"
#include "engine/data/aspect_buckets.h"
#include "engine/data/prompt_list.h"
#include "engine/emoji/emoji_images.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/prepared_images.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

at::Tensor ofShape(const std::vector<std::int64_t>& shape, at::ScalarType dtype)
{
    return at::empty(shape, at::TensorOptions(dtype).device(c10::kMeta));
}

class CachePlan {
public:
    CachePlan(const contract::Experiment& experiment, const PlannedModel& planned, const DiffusionPipeline& pipeline, const ImageOptions& options)
        : m_experiment(experiment)
        , m_planned(planned)
        , m_pipeline(pipeline)
        , m_options(options)
        , m_sizes(bucketSizes(options, pipeline))
    {
        std::error_code error;
        if (fs::is_directory(options.cache, error))
            m_cache.emplace(options.cache);
        for (const fs::path& folder : {options.folder, options.priorFolder}) {
            if (!folder.empty())
                add(folder);
        }
    }

    /// Adds emoji that are to be written first.
    void addEmoji()
    {
        ImageEntry square;
        square.size = {m_options.resolution, m_options.resolution};
        forEachEmoji({}, [&](const std::string&, std::string_view png, const std::string& name) {
            m_emojiBytes += static_cast<double>(png.size() + name.size() + 1 + imageFileBytes(square));
            m_emojiFeatureBytes += static_cast<double>(imageFileBytes(square));
            ++m_emoji;
            m_captions.push_back(name);
        });
    }

    double bytes() const { return m_emojiBytes + imageBytes() + textBytes() + shuffledBytes(); }

    /// What a rank has read at the end, and keeps.
    double keptBytes() const
    {
        double all = m_emojiFeatureBytes + shuffledBytes();
        for (const ImageEntry& image : m_images)
            all += static_cast<double>(imageFileBytes(image));
        for (const std::string& text : texts())
            all += static_cast<double>(textFileBytes(text));
        return std::min(all * shareRead(), static_cast<double>(FeatureCache::kMostKept));
    }

private:
    void add(const fs::path& folder)
    {
        ImageFolder found = scanned(folder, m_options, m_pipeline);
        for (const ImageEntry& image : found.images)
            m_captions.push_back(image.caption);
        std::ranges::move(found.images, std::back_inserter(m_images));
        const auto example = [this] {
            return PromptFeatures {at::zeros({1, 1, m_planned.promptWidth}), {}, m_planned.pooledWidth > 0 ? at::zeros({1, m_planned.pooledWidth}) : at::Tensor()};
        };
        for (const ImageEntry& entry : found.precomputed) {
            try {
                if (!readPrecomputedInfo(entry.file, m_pipeline, example).hasPrompt)
                    m_captions.push_back(entry.caption);
            } catch (const std::exception&) { // the run leaves it out
            }
        }
    }

    /// Sums up the bytes of those files that the cache lacks. @param most files that are looked for @param keyOf may throw for one that the run leaves out
    template <typename BytesOf, typename KeyOf>
    double lacking(std::size_t count, std::size_t most, const BytesOf& bytesOf, const KeyOf& keyOf) const
    {
        const std::size_t stride = std::max<std::size_t>(1, (count + most - 1) / most);
        double all = 0, tried = 0, missing = 0;
        std::set<std::string> keys;
        for (std::size_t i = 0; i < count; ++i) {
            const auto bytes = static_cast<double>(bytesOf(i));
            all += bytes;
            if (i % stride != 0)
                continue;
            tried += bytes;
            try {
                const std::string key = keyOf(i);
                const bool isThere = !keys.insert(key).second || (m_cache && m_cache->has(key));  // two files may have one content
                missing += isThere ? 0 : bytes;
            } catch (const std::exception&) {
            }
        }
        return tried > 0 ? all * (missing / tried) : 0;
    }

    ImageSize sizeOf(const ImageEntry& entry) const { return m_sizes[nearestBucket(m_sizes, entry.size)]; }

    /// Bytes of the file with an image's latents.
    std::uint64_t imageFileBytes(const ImageEntry& entry) const
    {
        const ImageSize size = sizeOf(entry);
        const bool hasMask = !entry.mask.empty() || usesAlphaMask(entry, m_options, m_pipeline);
        const auto [known, isNew] = m_fileBytes.try_emplace({size.width, size.height, entry.frames, hasMask});
        if (isNew) {
            const auto shape = m_pipeline.latentShape(size.height, size.width, entry.frames);
            FeatureCache::Tensors tensors = {{"mean", ofShape(shape, at::kFloat)}, {"deviation", ofShape(shape, at::kFloat)}};
            if (hasMask)
                tensors["mask"] = ofShape({1, shape[shape.size() - 2], shape.back()}, at::kFloat);
            known->second = FeatureCache::fileBytes(tensors);
        }
        return known->second;
    }

    double imageBytes() const
    {
        constexpr double kMostRead = 256e6;  // bytes of files that are read for their keys: about a second
        constexpr std::size_t kFewest = 4, kMost = 256;
        double read = 1;
        for (const ImageEntry& entry : m_images) {
            std::error_code error;
            const auto bytes = fs::file_size(entry.file, error);
            read += error ? 1e6 : static_cast<double>(bytes);  // a folder of frames
        }
        const double affordable = kMostRead / read * static_cast<double>(m_images.size());
        return lacking(m_images.size(), static_cast<std::size_t>(std::clamp<double>(affordable, kFewest, kMost)),
            [&](std::size_t i) { return imageFileBytes(m_images[i]); },
            [&](std::size_t i) { return imageKey(m_images[i], sizeOf(m_images[i]), m_options, m_pipeline); });
    }

    /// Bytes of the file with the features of a text.
    std::uint64_t textFileBytes(const std::string& text) const
    {
        const std::int64_t length = m_pipeline.promptLength(text);
        const auto [known, isNew] = m_textBytes.try_emplace(length);
        if (isNew) {
            FeatureCache::Tensors tensors = {{"embeds", ofShape({length, m_planned.promptWidth}, m_options.dtype)}};
            if (m_planned.pooledWidth > 0)
                tensors["pooled"] = ofShape({m_planned.pooledWidth}, m_options.dtype);
            known->second = FeatureCache::fileBytes(tensors);
        }
        return known->second;
    }

    /// The share of the data that one rank reads in all steps, if each epoch gives it another part.
    double shareRead() const
    {
        const auto images = static_cast<double>(m_images.size() + m_emoji), ranks = static_cast<double>(m_experiment.integer("launch.ranks"));
        if (images == 0)
            return 1;
        const double epochs = static_cast<double>(m_experiment.integer("run.total_steps")) * static_cast<double>(samplesOfAStep()) / images;
        return epochs < 1 ? epochs / ranks : 1 - std::pow(1 - 1 / ranks, epochs);
    }

    /// Captions, unless they are shuffled, and prompts; each once.
    std::vector<std::string> texts() const
    {
        std::set<std::string> texts = {"", m_experiment.text("sample.negative")};
        const std::vector<std::string> prompts = splitPrompts(m_experiment.text("sample.prompts"));
        texts.insert(prompts.begin(), prompts.end());
        if (!captionRules(m_experiment).isShuffled)
            texts.insert(m_captions.begin(), m_captions.end());
        if (contract::usesPromptFile(m_experiment)) {
            for (const Prompt& prompt : readPrompts(m_experiment.text("rollout.prompt_file")))
                texts.insert(prompt.text);
        }
        return {texts.begin(), texts.end()};
    }

    double textBytes() const
    {
        constexpr std::size_t kMost = 2000;
        const std::vector<std::string> all = texts();
        return lacking(all.size(), kMost, [&](std::size_t i) { return textFileBytes(all[i]); }, [&](std::size_t i) { return PromptCache::keyOf(m_options.encoders, all[i]); });
    }

    /// Of captions in the orders in which the run may draw them, at most as many as it has samples.
    double shuffledBytes() const
    {
        const CaptionRules rules = captionRules(m_experiment);
        if (!rules.isShuffled || m_captions.empty())
            return 0;
        const double samples = static_cast<double>(m_experiment.integer("run.total_steps")) * static_cast<double>(samplesOfAStep());
        double orders = 0, bytes = 0;
        for (const std::string& caption : std::set<std::string>(m_captions.begin(), m_captions.end())) {
            const auto parts = 1 + std::ranges::count(caption, rules.separator.front()) - rules.fixedParts;
            orders += std::tgamma(static_cast<double>(std::clamp<std::int64_t>(parts, 1, 100)) + 1);
            bytes = std::max(bytes, static_cast<double>(textFileBytes(caption)));
        }
        return std::min(orders, samples) * bytes;
    }

    std::int64_t samplesOfAStep() const
    {
        const std::int64_t ranks = m_experiment.integer("launch.ranks");
        return m_experiment.integer("batch.micro") * accumulationOf(m_experiment, static_cast<int>(ranks)) * ranks;
    }

    const contract::Experiment& m_experiment;
    const PlannedModel& m_planned;
    const DiffusionPipeline& m_pipeline;
    ImageOptions m_options;
    std::vector<ImageSize> m_sizes;
    std::optional<FeatureCache> m_cache;  ///< nullopt: there is none yet
    std::vector<ImageEntry> m_images;
    std::vector<std::string> m_captions;
    double m_emojiBytes = 0, m_emojiFeatureBytes = 0;
    std::size_t m_emoji = 0;  ///< images of addEmoji()
    mutable std::map<std::tuple<int, int, std::int64_t, bool>, std::uint64_t> m_fileBytes;
    mutable std::map<std::int64_t, std::uint64_t> m_textBytes;  ///< by number of tokens
};

}  // namespace

CacheBytes cacheBytes(const contract::Experiment& experiment, const PlannedModel& planned, const fs::path& model, const fs::path& cache)
{
    constexpr double kMost = 1e15;
    if (planned.digits)
        return {};
    try {
        std::optional<DiffusionPipeline> own;
        const contract::ModelFolder folder(planned.pipeline ? fs::path(experiment.text("model.folder")) : model);
        if (!planned.pipeline)
            own.emplace(folder, PromptEncoderOptions {});
        const DiffusionPipeline& pipeline = own ? *own : *planned.pipeline;
        const bool isEmoji = experiment.text("data.source") != "folder" && !contract::usesPromptFile(experiment);
        const fs::path emoji = contract::emojiFolder(cache);
        std::error_code error;
        const bool isWritten = fs::is_directory(emoji, error);
        const fs::path data = contract::usesPromptFile(experiment) || (isEmoji && !isWritten) ? fs::path() : isEmoji ? emoji : fs::path(experiment.text("data.folder"));
        CachePlan plan(experiment, planned, pipeline, imageOptions(experiment, pipeline, data, cache, encodersOf(folder)));
        if (isEmoji && !isWritten)
            plan.addEmoji();
        return {cache.empty() ? 0 : static_cast<std::int64_t>(std::min(kMost, plan.bytes())), static_cast<std::int64_t>(plan.keptBytes())};
    } catch (const std::exception&) {
        return {};  // the checks before the start say what is wrong
    }
}

}  // namespace engine

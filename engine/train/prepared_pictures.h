// Captioned pictures or clips as latents and text features: encoded once by all ranks together, then read from a cache.
#pragma once
#include "engine/comm/group.h"
#include "engine/data/aspect_buckets.h"
#include "engine/data/clip_folder.h"
#include "engine/data/feature_cache.h"
#include "engine/data/picture_folder.h"
#include "engine/pipeline/image_pipeline.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace engine {

struct PictureOptions {
    std::filesystem::path folder;
    int resolution = 512;     ///< side of the square whose area pictures are scaled to
    double maxRatio = 2;      ///< of a picture's sides, at most; 1: squares only
    double validationFraction = 0;
    std::uint64_t seed = 0;   ///< decides which pictures are held out
    std::filesystem::path cache;
    std::string encoders;     ///< what tells one set of encoders from another: part of every key
    at::ScalarType dtype = at::kFloat;  ///< of text features in the cache
    ClipRules clips = {};     ///< where the pipeline makes clips
};

/// A picture or clip at one size.
struct PreparedPicture {
    std::filesystem::path file;
    std::string caption;
    PictureSize size;
    std::int64_t frames = 1;
    std::string key;  ///< of its latents
};

/// Tells how far the preparation is: "encodes pictures: 120 of 3600".
using PreparationProgress = std::function<void(const std::string&)>;

class PreparedPictures {
public:
    /// Scans the folder and encodes the pictures that the cache lacks; ranks divide them. Collective. Pictures that cannot be
    /// decoded are left out and listed. @param pipeline outlives this.
    /// @throws EngineError, std::runtime_error naming the folder when there is nothing to train on.
    PreparedPictures(const PictureOptions& options, const ImagePipeline& pipeline, Group& ranks, const PreparationProgress& tell);

    const std::vector<PreparedPicture>& training() const { return m_training; }
    const std::vector<PreparedPicture>& validation() const { return m_validation; }
    const std::vector<BrokenPicture>& broken() const { return m_broken; }

    /// Rows of training() of each size and number of frames.
    std::vector<std::vector<std::int64_t>> buckets() const;

    /// Encodes the texts that the cache lacks. Collective: all ranks give the same.
    /// @param sharded encoders whose weights lie on these ranks; nullptr: each rank has its own
    void prepareTexts(const std::set<std::string>& texts, Group& ranks, const PreparationProgress& tell,
        const PromptEncoder* sharded = nullptr) const;

    /// From the cache, or computed now and then cached. @return of one text: [1, L, D] …, float32
    PromptFeatures features(const std::string& text) const;

    /// @return [C, (F,) H, W] each, float32
    ImagePipeline::Latents latents(const PreparedPicture& picture) const;

private:
    void scan(Group& ranks, const PreparationProgress& tell);
    void encode(const PreparedPicture& picture, const at::Tensor& pixels) const;
    /// [3, (F,) H, W], or nothing for a picture or clip that is broken.
    std::optional<at::Tensor> decoded(const PreparedPicture& picture) const;
    std::string pictureKey(const PictureEntry& entry, PictureSize size) const;
    std::string textKey(const std::string& text) const;
    PromptFeatures encodeText(const std::string& text) const;
    void keep(const std::string& text, const PromptFeatures& features) const;

    PictureOptions m_options;
    const ImagePipeline& m_pipeline;
    FeatureCache m_cache;
    std::vector<PreparedPicture> m_training, m_validation;
    std::vector<BrokenPicture> m_broken;
};

/// Rows of one length under each other, shorter ones padded with a mask.
/// @param parts of one prompt each, at least one
PromptFeatures stacked(const std::vector<PromptFeatures>& parts);

}  // namespace engine

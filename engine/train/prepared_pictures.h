// Captioned pictures or clips as latents and text features: encoded once by all ranks together, then read from a cache; or as
// somebody else's program has encoded them.
#pragma once
#include "engine/comm/group.h"
#include "engine/data/aspect_buckets.h"
#include "engine/data/clip_folder.h"
#include "engine/data/feature_cache.h"
#include "engine/data/picture_folder.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/train/computed_features.h"
#include "engine/train/prompt_cache.h"
#include "engine/train/shared_preparation.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

struct PictureOptions {
    std::filesystem::path folder;
    bool hasRepeats = false;  ///< folders called N_NAME, see scanPictureFolder()
    std::filesystem::path priorFolder = {};  ///< pictures of what the model is not to forget; empty: none
    double priorWeight = 1;      ///< of their loss
    bool hasAlphaMasks = false;  ///< what is transparent is not learnt, where a picture has no mask of its own
    double unmaskedWeight = 0;   ///< of the loss where a mask is black, in [0, 1]
    int resolution = 512;     ///< side of the square whose area pictures are scaled to
    double maxRatio = 2;      ///< of a picture's sides, at most; 1: squares only
    double validationFraction = 0;
    std::uint64_t seed = 0;   ///< decides which pictures are held out
    std::filesystem::path cache = {};
    std::string encoders = {};  ///< what tells one set of encoders from another: part of every key
    at::ScalarType dtype = at::kFloat;  ///< of text features in the cache
    ClipRules clips = {};     ///< where the pipeline makes clips
};

/// A picture or clip at one size.
struct PreparedPicture {
    std::filesystem::path file;
    std::string caption;
    PictureSize size;
    std::int64_t frames = 1;
    std::int64_t repeats = 1;    ///< how often an epoch has it
    bool isPrior = false;
    std::string key;             ///< of its latents in the cache; empty: they lie in the file itself
    bool hasPrompt = false;      ///< the file has its prompt's features too
    std::filesystem::path mask;  ///< of the loss; empty: none, but see isAlphaMask
    bool isAlphaMask = false;    ///< the picture's own transparency is its mask
};

/// Reading is for any thread, encoding for one.
class PreparedPictures {
public:
    /// Scans the folders and encodes the pictures that the cache lacks; ranks divide them. Collective. Pictures that cannot be
    /// decoded, and files whose tensors do not fit the pipeline, are left out and listed. @param pipeline outlives this.
    /// @throws EngineError, std::runtime_error naming the folder when there is nothing to train on.
    PreparedPictures(const PictureOptions& options, const DiffusionPipeline& pipeline, Group& ranks, const PreparationProgress& tell);

    const std::vector<PreparedPicture>& training() const { return m_training; }
    const std::vector<PreparedPicture>& validation() const { return m_validation; }
    const std::vector<BrokenPicture>& broken() const { return m_broken; }

    /// Rows of training() of each size and number of frames, as often as an epoch has them. Of prior pictures it has as many as of all others:
    /// they are repeated in turn, or the last ones left out.
    std::vector<std::vector<std::int64_t>> buckets() const;

    /// Of a picture's loss.
    double weight(const PreparedPicture& picture) const { return picture.isPrior ? m_options.priorWeight : 1; }

    const PromptCache& prompts() const { return m_prompts; }

    /// Whether features() only reads.
    bool hasFeatures(const PreparedPicture& picture, const std::string& seen) const;

    /// Of a picture's caption as it is seen, see PromptCache; where it is not empty, those of the picture's file, if it has them.
    PromptFeatures features(const PreparedPicture& picture, const std::string& seen) const;

    PictureLatents latents(const PreparedPicture& picture) const;

private:
    void scan(Group& ranks, const PreparationProgress& tell);
    PictureFolder scanned(const std::filesystem::path& folder) const;
    std::vector<PreparedPicture> found(const std::filesystem::path& folder, bool isPrior, Group& ranks);
    at::Tensor decoded(const PreparedPicture& picture) const;
    bool encode(const PreparedPicture& picture) const;
    void holdOut(std::vector<PreparedPicture> pictures);
    bool isAlphaMask(const PictureEntry& entry) const;
    std::string pictureKey(const PictureEntry& entry, PictureSize size) const;
    std::string whyUnreadable(const PictureEntry& entry) const;

    PictureOptions m_options;
    const DiffusionPipeline& m_pipeline;
    FeatureCache m_cache;
    PromptCache m_prompts;
    std::vector<PreparedPicture> m_training, m_validation;
    std::vector<BrokenPicture> m_broken;
};

}  // namespace engine

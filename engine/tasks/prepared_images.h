// Captioned images or videos as latents and text features. All ranks together encode them once, later reads come from a
// cache; samples that another program has precomputed are read from their own files.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/data/aspect_buckets.h"
#include "engine/data/feature_cache.h"
#include "engine/data/image_folder.h"
#include "engine/data/video_folder.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/computed_features.h"
#include "engine/data/image_listing.h"
#include "engine/tasks/prompt_cache.h"
#include "engine/tasks/shared_preparation.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

struct ImageOptions {
    std::filesystem::path folder;  ///< empty: no images, only prompts are encoded
    bool hasRepeats = false;  ///< whether folder names N_NAME set repeats, see scanImageFolder()
    std::filesystem::path priorFolder = {};  ///< prior-preservation images; empty: none
    double priorWeight = 1;      ///< weight of the loss of prior images
    bool hasAlphaMasks = false;  ///< use an image's alpha channel as its loss mask unless it has a mask file
    double unmaskedWeight = 0;   ///< loss weight where a mask is black, in [0, 1]
    int resolution = 512;     ///< images are scaled to the area of a square with this side, in pixels
    double maxRatio = 2;      ///< maximum aspect ratio; 1: squares only
    double validationFraction = 0;
    std::uint64_t seed = 0;   ///< decides which images are held out
    std::filesystem::path cache = {};
    std::string encoders = {};  ///< identifies the set of encoders; part of every cache key
    at::ScalarType dtype = at::kFloat;  ///< dtype of text features in the cache
    VideoRules videos = {};     ///< used only when the pipeline generates videos
};

/// @param folder of the images; empty: none
/// @param cache what the runs of a data home share, where the experiment names no folder of its own
/// @param encoders from encodersOf()
/// @throws EngineError WrongUsage for images that are larger than the model takes.
ImageOptions imageOptions(const contract::Experiment& experiment, const DiffusionPipeline& pipeline, const std::filesystem::path& folder,
    const std::filesystem::path& cache, const std::string& encoders);

/// Reads the folder, captions and headers. @throws std::runtime_error as scanImageFolder() and scanVideoFolder() do.
ImageFolder scanned(const std::filesystem::path& folder, const ImageOptions& options, const DiffusionPipeline& pipeline);

/// The sizes to which images are scaled. @throws EngineError WrongUsage when the resolution does not suit the model.
std::vector<ImageSize> bucketSizes(const ImageOptions& options, const DiffusionPipeline& pipeline);

bool usesAlphaMask(const ImageEntry& entry, const ImageOptions& options, const DiffusionPipeline& pipeline);

/// The cache key of an image at @p size; reads its files. @throws std::runtime_error naming the file that cannot be read.
std::string imageKey(const ImageEntry& entry, ImageSize size, const ImageOptions& options, const DiffusionPipeline& pipeline);

/// Returns a key that identifies a set of encoders on this machine: from the paths, sizes and times of their files.
/// @throws std::runtime_error naming the folder that cannot be read.
std::string encodersOf(const contract::ModelFolder& folder);

/// An image or video, scaled to its bucket's size.
struct PreparedImage {
    std::filesystem::path file;
    std::string caption;
    ImageSize size;              ///< of the bucket
    ImageSize original = {};     ///< of the upright image
    std::int64_t frames = 1;
    std::int64_t repeats = 1;    ///< how often it occurs in an epoch
    bool isPrior = false;
    std::string key;             ///< cache key of its latents; empty when @c file holds precomputed latents
    bool hasPrompt = false;      ///< whether @c file also holds the prompt's features
    std::filesystem::path mask;  ///< mask file for the loss; empty: none, but see isAlphaMask
    bool isAlphaMask = false;    ///< whether the image's alpha channel is its mask
};

/// Any thread may read; only one thread at a time may encode.
class PreparedImages {
public:
    /// Lets rank 0 scan the folders, and encodes the images that its cache lacks, divided among the ranks. All ranks have the same
    /// images afterwards. Collective. Images that cannot be decoded, and files whose tensors do not fit the pipeline, are left
    /// out and listed in broken().
    /// @param pipeline must outlive this object
    /// @throws EngineError, std::runtime_error naming the folder when there is nothing to train on.
    PreparedImages(const ImageOptions& options, const DiffusionPipeline& pipeline, Group& ranks,
        const PreparationProgress& reportProgress);

    const ImageOptions& options() const { return m_options; }
    const std::vector<PreparedImage>& training() const { return m_training; }
    const std::vector<PreparedImage>& validation() const { return m_validation; }
    const std::vector<BrokenImage>& broken() const { return m_broken; }

    /// Returns the buckets of an epoch: row indices into training(), grouped by size and number of frames, each as often as
    /// it repeats. An epoch has as many prior images as others: prior images are cycled, or the last ones are left out.
    std::vector<std::vector<std::int64_t>> buckets() const;

    /// Returns the weight of an image's loss.
    double weight(const PreparedImage& image) const { return image.isPrior ? m_options.priorWeight : 1; }

    const PromptCache& prompts() const { return m_prompts; }

    /// Whether features() can read without encoding.
    bool hasFeatures(const PreparedImage& image, const std::string& caption) const;

    /// Returns the text features for an image whose caption, after dropout and shuffling, is @p caption. They come from the
    /// image's own file if it holds them and @p caption is not empty, otherwise from prompts().
    PromptFeatures features(const PreparedImage& image, const std::string& caption) const;

    ImageLatents latents(const PreparedImage& image) const;

private:
    void scan(Group& ranks, const PreparationProgress& reportProgress);
    ImageListing list(const std::filesystem::path& folder) const;
    std::vector<PreparedImage> entriesIn(const std::filesystem::path& folder, bool isPrior, Group& ranks);
    at::Tensor decoded(const PreparedImage& image) const;
    bool encode(const PreparedImage& image) const;
    void holdOut(std::vector<PreparedImage> images);
    std::string whyUnreadable(const ImageEntry& entry) const;

    ImageOptions m_options;
    const DiffusionPipeline& m_pipeline;
    FeatureCache m_cache;
    PromptCache m_prompts;
    std::vector<PreparedImage> m_training, m_validation;
    std::vector<BrokenImage> m_broken;
};

}  // namespace engine

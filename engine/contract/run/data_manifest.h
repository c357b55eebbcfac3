// The list of a run's training data: what is trained on and how, and what was left out and why.
//
// [Note: the list of the data]
// Rank 0 writes data.jsonl into the run's folder when the data has been prepared, anew in each attempt. Its first line describes the
// data set, {"v":1,"attempt":1,"folder":"/data/hearts","resolution":512,"entries":1203}, and each of the others an image or video:
//   {"file":"red/a.png","caption":"a red heart","width":1024,"height":768,"bucket":[576,448],"use":"training","repeats":10}
//   {"file":"b.png","use":"left out","reason":"b.png: is not a PNG, JPEG or WebP image"}
// Further fields are "frames", "mask", "poster", "tile" and, when true, "alpha_mask" and "precomputed". Readers ignore unknown ones. Where
// many small images have no files of their own, as the digits, they lie in one file of the run's folder, each with its tile of it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contract {

inline constexpr char kDataManifestFile[] = "data.jsonl";  ///< in the run's folder

struct DataEntry {
    enum class Use {
        Training,
        Validation,  ///< held out, for the validation loss
        Prior,       ///< regularisation: what the model should not forget
        LeftOut,     ///< for the reason that is given
    };

    std::string file;     ///< relative to the folder of the data, or absolute
    std::string caption;  ///< empty: none
    Use use = Use::Training;
    std::string reason;            ///< one sentence that names the file; only of what was left out
    std::int64_t width = 0;        ///< of the upright image in pixels; 0: not known
    std::int64_t height = 0;
    std::int64_t bucketWidth = 0;  ///< the size at which it is trained on; 0: not known
    std::int64_t bucketHeight = 0;
    std::int64_t frames = 1;       ///< of a video
    std::int64_t repeats = 1;      ///< how often it occurs in an epoch
    std::string mask;              ///< image of the loss's weights, as file is; empty: none
    std::string poster;            ///< first frame of a folder of frames, as file is; empty: file itself
    struct Tile {
        std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< pixels; without a width it is the whole image
        bool operator==(const Tile&) const = default;
    };
    Tile tile = {};                ///< the part of file that the image is
    bool isAlphaMask = false;      ///< whether its own transparency is its mask
    bool isPrecomputed = false;    ///< whether the file holds latents instead of pixels

    bool hasMask() const { return isAlphaMask || !mask.empty(); }
    bool isVideo() const { return frames > 1; }
    /// Whether the image is smaller than its bucket in either direction, so that it is enlarged.
    bool isEnlarged() const { return width > 0 && (width < bucketWidth || height < bucketHeight); }
    /// The part of the image that the bucket's shape crops away, 0 … 1; 0 when a size is not known.
    double croppedPart() const;
};

struct DataManifest {
    int attempt = 1;
    std::string folder;           ///< of the data; written as "." it is the run's folder
    std::int64_t resolution = 0;  ///< buckets have about the area of a square with this side, in pixels
    std::vector<DataEntry> entries;
    std::int64_t missing = 0;     ///< lines that the file should have and that are malformed or not there
};

/// "training", "validation", "prior", "left out": the value of "use".
const char* useName(DataEntry::Use use);

/// The path of DataEntry's file, mask or poster.
std::filesystem::path dataPath(const DataManifest& manifest, const std::string& file);

/// Replaces @p file; a power failure may leave it empty, since the next attempt writes it again. @throws std::system_error naming it.
void writeDataManifest(const std::filesystem::path& file, const DataManifest& manifest);

/// Malformed lines are counted, and numbers out of range count as not known.
/// @throws std::runtime_error naming the file when it is missing, is no regular file or a link, is too large, or has no header.
DataManifest readDataManifest(const std::filesystem::path& file);

}  // namespace contract

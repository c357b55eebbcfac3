// Reads captions of images and videos from NAME.txt files or from metadata.jsonl.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace engine {

/// A file or folder that is left out of the data.
struct BrokenImage {
    std::filesystem::path file;
    std::string reason;  ///< one sentence that names the file
};

class Captions {
public:
    /// Reads the folder's metadata.jsonl if it exists; adds malformed lines to @p broken, the first thousand one by one.
    Captions(const std::filesystem::path& folder, std::vector<BrokenImage>& broken);

    /// Returns the caption of a file or of a folder of frames: the text of NAME.txt in the same folder, else of the metadata,
    /// trimmed; empty when there is none. @throws std::runtime_error when the text is too long or not UTF-8.
    std::string of(const std::filesystem::path& file) const;

    /// Adds files that the metadata names but that do not exist to @p broken. @param found existing files, lexically normal
    void listMissing(const std::set<std::filesystem::path>& found, std::vector<BrokenImage>& broken) const;

private:
    std::filesystem::path m_folder;
    std::map<std::filesystem::path, std::string> m_metadata;  ///< captions by lexically normal path
};

/// All files and folders below @p folder, sorted; links to folders are not followed.
/// @throws std::runtime_error naming the folder when it cannot be read.
std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder);

}  // namespace engine

// Captions as they lie beside pictures and clips: NAME.txt, or lines of metadata.jsonl.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace engine {

/// Something in the folder that is left out.
struct BrokenPicture {
    std::filesystem::path file;
    std::string reason;  ///< one sentence that names the file
};

class Captions {
public:
    /// Reads the folder's metadata.jsonl where there is one; lines that are wrong go to @p broken.
    Captions(const std::filesystem::path& folder, std::vector<BrokenPicture>& broken);

    /// Of a file, or of a folder of frames: the text of NAME.txt beside it, or else of the metadata, without white space around
    /// it; empty where it has none. @throws std::runtime_error for a text that is too long.
    std::string of(const std::filesystem::path& file) const;

    /// Lists what the metadata name and the folder has not. @param found lexically normal
    void listMissing(const std::set<std::filesystem::path>& found, std::vector<BrokenPicture>& broken) const;

private:
    std::map<std::filesystem::path, std::string> m_metadata;  ///< by path, lexically normal
};

/// All in a folder and those in it, sorted. @throws std::runtime_error naming a folder that cannot be read.
std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder);

}  // namespace engine

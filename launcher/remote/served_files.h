// Which files of a run are copied to a mirror, and what they are at present.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

/// How much of a run is copied; each includes those before it.
enum class FileDepth {
    Facts,    ///< what a list of runs needs: the attempts' experiments and starts, annotations
    Records,  ///< journals, manifests of checkpoints
    Logs,     ///< logs, the list of the data
    Samples,  ///< the images that the model drew
};

std::string_view depthName(FileDepth depth);  ///< "facts", "records", "logs", "samples"
std::optional<FileDepth> depthCalled(std::string_view name);

/// The depth at which the file at @p path, relative to a run's folder, is copied; nullopt when it never is, whatever it is. Nothing
/// that leads out of the folder has a depth: no "..", no absolute path, no name that begins with a dot.
std::optional<FileDepth> servedDepth(std::string_view path);

/// Whether the file only grows, and is continued where it ends. Others are written once, or replaced as a whole.
bool isGrowing(std::string_view path);

struct ServedFile {
    std::string path;  ///< relative to the run's folder
    std::int64_t size = 0;
    std::int64_t mtimeNs = 0;
};

/// Lists the files of a run. Folders in which nothing changes but files that are replaced as a whole are read again only when their
/// modification times say so.
class ServedFiles {
public:
    explicit ServedFiles(std::filesystem::path root)
        : m_root(std::move(root))
    {
    }

    std::vector<ServedFile> list(FileDepth depth);

private:
    struct Listing {
        std::int64_t mtimeNs = 0;
        bool isSettled = false;  ///< the folder was read long enough after its last change
        std::vector<ServedFile> files;
    };
    void addFolder(const std::string& folder, std::vector<ServedFile>& files);
    void addFile(const std::string& path, std::vector<ServedFile>& files) const;

    std::filesystem::path m_root;
    std::map<std::string, Listing> m_known;  ///< by the folder's path
};

/// Changes whenever one of the run's files of depth Facts does.
std::string factsStamp(const std::filesystem::path& root);

}  // namespace launcher

// The files of a run that another machine looks at: what it has of them, and what it is to get.
#pragma once
#include "launcher/remote/served_files.h"
#include "launcher/remote/transfers.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace launcher {

class FollowedRun {
public:
    /// @param run its id; @param root its folder
    FollowedRun(std::string run, const std::filesystem::path& root);

    /// Takes over which files the mirror has: [[path, size, mtime in ns or, of a file that grows, tailCheck()], …]. Skips what
    /// has another form or is not served.
    void have(const nlohmann::json& files);

    FileDepth depth() const { return m_depth; }
    /// Drops what waits in @p transfers of a greater depth than the new one.
    void setDepth(FileDepth depth, Transfers& transfers);

    /// Adds what the mirror lacks to @p transfers, and what has been removed here. From then on the mirror counts as having it.
    void sendChanges(Transfers& transfers);

private:
    /// A file as the mirror has it, or will when everything is sent.
    struct Had {
        std::int64_t size = 0;
        std::int64_t mtimeNs = 0;
        std::string check = {};  ///< tailCheck() of a file that grows: another file may have taken its place
    };

    void sendChange(const ServedFile& file, Transfers& transfers);

    std::string m_run;
    std::filesystem::path m_root;
    ServedFiles m_files;
    FileDepth m_depth = FileDepth::Facts;
    std::map<std::string, Had> m_had;  ///< by path below the run's folder
};

}  // namespace launcher

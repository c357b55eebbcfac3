// What occupies the disk in a data home: by run and kind of file.
#pragma once
#include "launcher/base/data_home.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace launcher {

/// The files of a run.
enum class FileKind { Checkpoints, Samples, Journals, Logs, Other };
inline constexpr std::size_t kFileKinds = 5;
const char* nameOf(FileKind kind);  ///< "checkpoints"

struct RunUsage {
    std::string run;  ///< id
    std::array<std::uint64_t, kFileKinds> bytes {};  ///< by FileKind

    std::uint64_t total() const;
};

struct DiskUsage {
    std::vector<RunUsage> runs;  ///< the largest first
    std::uint64_t database = 0;
    std::uint64_t caches = 0;    ///< of training and of the window; they are made anew when they are missing
    std::uint64_t trash = 0;
    std::uint64_t incoming = 0;  ///< runs that are being unpacked
    std::uint64_t free = 0;      ///< on the disk of the runs

    std::uint64_t total() const;  ///< of all but free
};

/// Adds up the sizes of all regular files; what cannot be read counts as 0. Links are not followed, except those to the folders of a
/// run, which people move to other disks. Ends soon after @p stop asks for it, with what has been added up by then.
DiskUsage diskUsage(const DataHome& home, const std::stop_token& stop = {});

}  // namespace launcher

// Packs a run to a file and unpacks one from a file; see run_archive.h.
#pragma once
#include "engine/contract/formats/temporary_name.h"
#include "launcher/home/run_archive.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>

namespace launcher {

/// Called now and then with the bytes that are done. @return false: give up.
using ArchiveProgress = std::function<bool(std::uint64_t done)>;

/// An ArchiveProgress has returned false. Nothing of the file or the run is left.
class ArchiveCancelled : public std::runtime_error {
public:
    ArchiveCancelled()
        : std::runtime_error("cancelled")
    {
    }
};

/// Writes @p file, which appears as a whole when it is complete. Disk space is reserved first.
/// @param existing Refuse: one that is there stays, also one that has appeared meanwhile
/// @throws ArchiveCancelled; std::runtime_error in one sentence.
void packToFile(const RunArchive& archive, const std::filesystem::path& file, contract::Existing existing, const ArchiveProgress& progress);

/// See unpackRun(). @throws ArchiveCancelled; std::runtime_error in one sentence.
contract::RunFolder unpackFromFile(const DataHome& home, const std::filesystem::path& file, const ArchiveProgress& progress);

}  // namespace launcher

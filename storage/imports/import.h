// Brings runs of other programs into a data home, as run folders of ours.
#pragma once
#include "storage/imports/foreign_run.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace storage {

struct ImportResult {
    enum class What {
        New,
        Extended,  ///< it was imported before, and its source has more values since
        Changed,   ///< it was imported before, and its source has as many, but others since
        Known,     ///< it was imported before, and nothing has changed
    };
    What what = What::New;
    std::filesystem::path folder;
    std::int64_t newValues = 0;
    std::vector<std::string> leftOut;  ///< a sentence for each kind of thing that was not read
};

/// Reads the run and writes its folder: a new one under @p runs, or what has changed in the one of an earlier import. Nothing is changed
/// where the run comes from. The caller brings the index up to date (Ingest::catchUp()).
/// @param staging an empty folder on the same disk as @p runs, in which the folder is written before it appears
/// @throws std::runtime_error in one sentence, also when the source has lost values since an earlier import: it may be the copy of a part.
///         @p runs is then as it was
/// @param isCancelled called now and then; when it returns true, this throws
ImportResult importRun(const ForeignRun& run, const std::filesystem::path& runs, const std::filesystem::path& staging,
    const std::function<bool()>& isCancelled = {});

}  // namespace storage

// The readers that are fuzzed. A target is called with a folder that holds the files of one case, one of them damaged.
#pragma once
#include "tests/fuzz/corpus.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fuzz {

class Target {
public:
    virtual ~Target() = default;

    /// @throws Finding when a promise is broken. Anything else that is thrown is a finding, too.
    /// @param input where the files in @p folder come from
    virtual void read(const std::filesystem::path& folder, const Input& input) = 0;

    virtual bool damages(const std::string& path) const { return !path.empty(); }
    virtual bool canRepair() const { return false; }
    /// Makes checksums and lengths of the file @p path fit @p content.
    virtual std::string repaired(const std::string& path, std::string content) const
    {
        static_cast<void>(path);
        return content;
    }
    virtual std::uint64_t mostBytes() const { return std::uint64_t {768} << 20; }  ///< resident memory of the whole process
};

struct Format {
    const char* name;
    const char* corpus;  ///< folder in tests/fixtures
    std::unique_ptr<Target> (*make)();
};

/// All formats. A target is made in the process that reads with it.
const std::vector<Format>& formats();

std::unique_ptr<Target> tomlTarget();
std::unique_ptr<Target> journalTarget();      ///< damages a run's journals only
std::unique_ptr<Target> runFolderTarget();    ///< damages a run's other files
std::unique_ptr<Target> manifestTarget();
std::unique_ptr<Target> safetensorsTarget();
std::unique_ptr<Target> tokenizerTarget();
std::unique_ptr<Target> pictureTarget();
std::unique_ptr<Target> importTarget();       ///< what other programs have recorded of runs
std::unique_ptr<Target> datasetTarget();      ///< a folder of captioned pictures

}  // namespace fuzz

#include "launcher/home/ready_experiments.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "launcher/base/data_home.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>

namespace launcher {
namespace {

/// Returns the comment at the top of @p file, joined to one line; empty when it cannot be read.
std::string leadingComment(const std::filesystem::path& file)
{
    constexpr std::uint64_t kMaxBytes = 64 * 1024;
    std::string text;
    try {
        std::istringstream lines(contract::fileBeginning(file, kMaxBytes));
        for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
            const std::size_t first = line.find_first_not_of("# ");
            if (first != std::string::npos)
                text += (text.empty() ? "" : " ") + line.substr(first);
        }
    } catch (const std::runtime_error&) {
        return {};
    }
    return text;
}

}  // namespace

std::vector<ReadyExperiment> readyExperiments()
{
    namespace fs = std::filesystem;
    std::vector<ReadyExperiment> ready;
    for (const fs::path& entry : contract::entriesOf(resourcesFolder() / "experiments")) {
        if (entry.extension() == ".toml")
            ready.push_back({entry.stem().string(), entry, leadingComment(entry)});
    }
    std::ranges::sort(ready, {}, &ReadyExperiment::name);
    return ready;
}

}  // namespace launcher

#include "launcher/ready_experiments.h"

#include "launcher/data_home.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace launcher {
namespace {

/// The comment that a file begins with, on one line.
std::string leadingComment(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::string text;
    for (std::string line; std::getline(stream, line) && line.starts_with('#');) {
        const std::size_t first = line.find_first_not_of("# ");
        if (first != std::string::npos)
            text += (text.empty() ? "" : " ") + line.substr(first);
    }
    return text;
}

}  // namespace

std::vector<ReadyExperiment> readyExperiments()
{
    namespace fs = std::filesystem;
    std::vector<ReadyExperiment> ready;
    std::error_code error;
    for (fs::directory_iterator entry(resourcesFolder() / "experiments", error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".toml")
            ready.push_back({entry->path().stem().string(), entry->path(), leadingComment(entry->path())});
    }
    std::ranges::sort(ready, {}, &ReadyExperiment::name);
    return ready;
}

}  // namespace launcher

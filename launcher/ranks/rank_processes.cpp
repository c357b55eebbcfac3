#include "launcher/ranks/rank_processes.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

namespace launcher {
namespace {

namespace fs = std::filesystem;

fs::path processFolder(std::int64_t process) { return "/proc/" + std::to_string(process); }

/// The processes that any thread of @p parent has started.
std::vector<std::int64_t> childrenOf(std::int64_t parent)
{
    std::vector<std::int64_t> children;
    std::error_code error;
    for (const fs::directory_entry& thread : fs::directory_iterator(processFolder(parent) / "task", error)) {
        std::ifstream file(thread.path() / "children");
        for (std::int64_t child; file >> child;)
            children.push_back(child);
    }
    return children;
}

/// The rank in the environment of a process; nullopt: it is none.
std::optional<int> rankOf(std::int64_t process)
{
    constexpr std::string_view kName = "RANK=";
    std::ifstream file(processFolder(process) / "environ", std::ios::binary);
    for (std::string entry; std::getline(file, entry, '\0');) {
        int rank = 0;
        if (entry.starts_with(kName)
            && std::from_chars(entry.data() + kName.size(), entry.data() + entry.size(), rank).ptr == entry.data() + entry.size())
            return rank;
    }
    return std::nullopt;
}

/// The letter after the name in parentheses, which may itself contain any: proc(5). 0: it cannot be read.
char stateOf(std::int64_t process)
{
    std::ifstream file(processFolder(process) / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    return name != std::string::npos && name + 2 < line.size() ? line[name + 2] : '\0';
}

std::string words(char state, std::int64_t process)
{
    switch (state) {
    case 'R': return "its process computes";
    case 'D': return "its process waits for a disk or a device";
    case 'T':
    case 't': return "its process has been stopped; `kill -CONT " + std::to_string(process) + "` lets it go on";
    case 'Z':
    case 'X': return "its process has ended";
    default: return "its process sleeps: it waits";
    }
}

}  // namespace

std::map<int, std::string> rankProcesses(std::int64_t supervisor)
{
    std::map<int, std::string> found;
    for (const std::int64_t child : childrenOf(supervisor)) {
        const char state = stateOf(child);
        if (const auto rank = rankOf(child); rank && state != '\0')
            found.emplace(*rank, words(state, child));
    }
    return found;
}

}  // namespace launcher

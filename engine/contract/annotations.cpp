#include "engine/contract/annotations.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <system_error>

namespace contract {
namespace {

void replay(const nlohmann::json& line, Annotations& state)
{
    const std::string field = line.value("set", "");
    const nlohmann::json& value = line.at("value");
    if (field == "name")
        state.name = value.get<std::string>();
    else if (field == "project")
        state.project = value.get<std::string>();
    else if (field == "tags")
        state.tags = value.get<std::vector<std::string>>();
    else if (field == "notes")
        state.notes = value.get<std::string>();
    else if (field == "archived")
        state.isArchived = value.get<bool>();
}

}  // namespace

Annotations readAnnotations(const std::filesystem::path& file)
{
    Annotations state;
    std::ifstream stream(file, std::ios::binary);
    for (std::string line; std::getline(stream, line);) {
        try {
            replay(nlohmann::json::parse(line), state);
        } catch (const nlohmann::json::exception&) {
            continue;  // a torn line: its change was never acknowledged
        }
    }
    return state;
}

void appendAnnotations(
    const std::filesystem::path& file, const Annotations& before, const Annotations& after)
{
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch())
                         .count();
    std::string text;
    const auto note = [&](const char* field, const auto& was, const auto& is) {
        if (was == is)
            return;
        const nlohmann::json line = {{"v", 1}, {"t_unix_ms", now}, {"set", field}, {"value", is}};
        text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    };
    note("name", before.name, after.name);
    note("project", before.project, after.project);
    note("tags", before.tags, after.tags);
    note("notes", before.notes, after.notes);
    note("archived", before.isArchived, after.isArchived);
    if (text.empty())
        return;
    text.insert(text.begin(), '\n');  // ends a torn line, if there is one

    const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    const bool isWritten = descriptor >= 0
        && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size())
        && ::fsync(descriptor) == 0;
    const int cause = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!isWritten)
        throw std::system_error(cause, std::generic_category(), file.string());
}

}  // namespace contract

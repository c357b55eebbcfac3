#include "engine/contract/run/annotations.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <string_view>

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
    else if (field == "color")
        setColour(state.line, value.get<std::string>());
    else if (field == "line")
        setDash(state.line, value.get<std::string>());
    else if (field == "marker")
        setMarker(state.line, value.get<std::string>());
}

}  // namespace

Annotations readAnnotations(const std::filesystem::path& file)
{
    constexpr std::uint64_t kMaxBytes = std::uint64_t {64} << 20;
    Annotations state;
    const std::string content = fileContentIfAny(file, kMaxBytes, Links::Refuse).value_or("");
    for (std::size_t begin = 0; begin < content.size();) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        try {
            replay(parsedJson(std::string_view(content).substr(begin, end - begin)), state);
        } catch (const nlohmann::json::exception&) {
            // torn or malformed; the change of a torn line was never acknowledged to the user
        }
        begin = end + 1;
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
    const auto appendChange = [&](const char* field, const auto& oldValue, const auto& newValue) {
        if (oldValue == newValue)
            return;
        const nlohmann::json line = {{"v", 1}, {"t_unix_ms", now}, {"set", field}, {"value", newValue}};
        text += jsonText(line) + "\n";
    };
    appendChange("name", before.name, after.name);
    appendChange("project", before.project, after.project);
    appendChange("tags", before.tags, after.tags);
    appendChange("notes", before.notes, after.notes);
    appendChange("archived", before.isArchived, after.isArchived);
    appendChange("color", colourText(before.line), colourText(after.line));
    appendChange("line", dashText(before.line), dashText(after.line));
    appendChange("marker", markerText(before.line), markerText(after.line));
    if (text.empty())
        return;
    appendLines(file, text, Durability::PowerFailure);
}

}  // namespace contract

#include "engine/contract/run/origin.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"

#include <nlohmann/json.hpp>

namespace contract {

std::string Origin::sentence() const
{
    return "Imported from " + program + " (" + source + ")" + (ending.empty() ? "" : ", " + ending) + ".";
}

std::filesystem::path originFile(const RunFolder& folder) { return folder.root() / "origin.json"; }

std::optional<Origin> readOrigin(const RunFolder& folder)
{
    constexpr std::uint64_t kMaxBytes = std::uint64_t {64} << 20;
    const auto content = fileContentIfAny(originFile(folder), kMaxBytes, Links::Refuse);
    if (!content)
        return std::nullopt;
    const JsonConfig json(originFile(folder), *content);
    if (json.integer("v") != 1)
        json.fail("v", "must be 1: the file was written by a newer Atelier; update this one");
    Origin origin;
    origin.program = json.text("program");
    origin.source = json.text("source");
    origin.identity = json.text("identity");
    origin.stamp = json.text("stamp");
    origin.name = json.text("name");
    origin.project = json.text("project");
    origin.ending = json.text("ending");
    origin.importedUnixMs = json.integer("imported_unix_ms");
    origin.lastStep = json.integer("last_step");
    origin.lastUnixMs = json.integer("last_unix_ms");
    origin.values = json.integer("values");
    origin.leftOut = json.texts("left_out");
    const JsonConfig parameters = json.object("parameters");
    for (const auto& [key, value] : parameters.json().items())
        origin.parameters.emplace_back(key, parameters.text(key));
    return origin;
}

std::string whyNoExperiment(const RunFolder& folder)
{
    if (!hasEntry(originFile(folder)))
        return {};
    return "run " + folder.id() + " was imported: another program has recorded it, so Atelier has no experiment with which to resume or repeat it";
}

void writeOrigin(const RunFolder& folder, const Origin& origin)
{
    nlohmann::json parameters = nlohmann::json::object();
    for (const auto& [key, value] : origin.parameters)
        parameters[key] = value;
    const nlohmann::json json = {{"v", 1}, {"program", origin.program}, {"source", origin.source}, {"identity", origin.identity},
        {"stamp", origin.stamp}, {"name", origin.name}, {"project", origin.project}, {"ending", origin.ending},
        {"imported_unix_ms", origin.importedUnixMs}, {"last_step", origin.lastStep}, {"last_unix_ms", origin.lastUnixMs},
        {"values", origin.values}, {"left_out", origin.leftOut}, {"parameters", parameters}};
    writeFileAtomically(originFile(folder), jsonText(json, 2) + "\n");
}

}  // namespace contract

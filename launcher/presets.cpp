#include "launcher/home/presets.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/folders.h"
#include "launcher/home/ready_experiments.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 200;  // bytes; a file name may have 255

/// Returns why @p name cannot be that of a preset; empty when it can.
std::string nameProblem(const std::string& name)
{
    const auto isControl = [](char each) { return static_cast<unsigned char>(each) < ' ' || each == '\x7f'; };
    if (name.empty())
        return "must not be empty";
    if (name.size() > kLongestName)
        return "must not be longer than " + std::to_string(kLongestName) + " bytes";
    if (name.front() == '.' || name.find('/') != std::string::npos)
        return "must neither start with a dot nor contain a slash, because it becomes the name of a file";
    if (std::ranges::any_of(name, isControl) || !contract::isUtf8(name))
        return "must be text without control characters";
    if (name.ends_with(".toml"))
        return "must not end in .toml: `atelier run` would take it for a file";
    const auto ready = readyExperiments();
    if (std::ranges::find(ready, name, &ReadyExperiment::name) != ready.end())
        return "is the name of a ready experiment; choose another one";
    return {};
}

void requirePreset(const DataHome& home, const std::string& name)
{
    if (!isPreset(home, name))
        throw std::runtime_error("there is no preset " + contract::inQuotes(contract::shortened(name)) + "; `atelier presets` lists them");
}

}  // namespace

fs::path presetsFolder(const DataHome& home) { return home.config / "presets"; }

std::vector<Preset> presets(const DataHome& home)
{
    std::vector<Preset> all;
    for (const fs::path& entry : contract::entriesOf(presetsFolder(home))) {
        if (entry.extension() == ".toml" && nameProblem(entry.stem().string()).empty())
            all.push_back({entry.stem().string(), entry});
    }
    std::ranges::sort(all, {}, &Preset::name);
    return all;
}

fs::path presetFile(const DataHome& home, const std::string& name)
{
    if (const std::string problem = nameProblem(name); !problem.empty())
        throw std::runtime_error("a preset's name " + problem + (name.empty() ? "" : ": " + contract::inQuotes(contract::shortened(name))));
    return presetsFolder(home) / (name + ".toml");
}

bool isPreset(const DataHome& home, const std::string& name)
{
    return nameProblem(name).empty() && contract::hasEntry(presetFile(home, name));
}

void savePreset(const DataHome& home, const std::string& name, std::string_view toml)
{
    const fs::path file = presetFile(home, name);
    createFolder(file.parent_path());
    try {
        contract::writeFileAtomically(file, toml);
    } catch (const std::system_error& error) {
        throw std::runtime_error(contract::cannotBe("written", file, error.code().value()));
    }
}

void renamePreset(const DataHome& home, const std::string& from, const std::string& to)
{
    requirePreset(home, from);
    const fs::path target = presetFile(home, to);
    // A link fails where a file of that name exists, which a rename would replace.
    std::error_code error;
    fs::create_hard_link(presetFile(home, from), target, error);
    if (error == std::errc::file_exists)
        throw std::runtime_error("there is a preset " + contract::inQuotes(to) + " already; delete it first, or choose another name");
    if (!error)
        fs::remove(presetFile(home, from), error);
    if (error)
        throw std::runtime_error(contract::cannotBe("renamed", presetFile(home, from), error.value()));
}

void deletePreset(const DataHome& home, const std::string& name)
{
    requirePreset(home, name);
    std::error_code error;
    if (!fs::remove(presetFile(home, name), error) && error)
        throw std::runtime_error(contract::cannotBe("deleted", presetFile(home, name), error.value()));
}

}  // namespace launcher

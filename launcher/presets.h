// Experiments that the user keeps by name: the files CONFIG/presets/NAME.toml.
#pragma once
#include "launcher/base/data_home.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

struct Preset {
    std::string name;            ///< argument for `atelier run`
    std::filesystem::path file;
};

std::filesystem::path presetsFolder(const DataHome& home);

/// Sorted by name. Empty when there are none, or the folder cannot be read.
std::vector<Preset> presets(const DataHome& home);

/// The file of preset @p name, which may not exist.
/// @throws std::runtime_error in one sentence when @p name cannot name a preset: it is empty, no file name, or that of a ready
/// experiment, which `atelier run` would start in its place.
std::filesystem::path presetFile(const DataHome& home, const std::string& name);

bool isPreset(const DataHome& home, const std::string& name);

/// Writes the preset, in place of one of the same name. @param toml relative paths in it refer to the folder of the presets
/// @throws std::runtime_error in one sentence when the name is unusable, or the file cannot be written.
void savePreset(const DataHome& home, const std::string& name, std::string_view toml);

/// @throws std::runtime_error in one sentence when there is no preset @p from, there is one called @p to, or the file cannot be renamed.
void renamePreset(const DataHome& home, const std::string& from, const std::string& to);

/// @throws std::runtime_error in one sentence when there is no preset @p name, or its file cannot be deleted.
void deletePreset(const DataHome& home, const std::string& name);

}  // namespace launcher

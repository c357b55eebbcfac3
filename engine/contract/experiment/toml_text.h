// Changes values in a TOML text and keeps the rest, including comments, as the user wrote it.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// Returns @p toml with @p key set to its value in @p experiment: its line is replaced, added to its table, or removed when the value is
/// the default; else only its value is, wherever TOML lets it stand. Problems elsewhere in the text stay what they are.
/// @return nullopt when the text is not TOML, or the value cannot be changed without changing others.
/// @param key must be a declared option. @param baseFolder the folder that relative paths in the text refer to.
std::optional<std::string> withValue(std::string_view toml, std::string_view key, const Experiment& experiment,
    const std::filesystem::path& baseFolder);

/// The same with every option in which @p toml, which must have no problems, differs from @p experiment. Where that cannot be done, the
/// whole text is written anew, without the user's comments.
std::string withValuesOf(std::string_view toml, const Experiment& experiment, const std::filesystem::path& baseFolder);

}  // namespace contract

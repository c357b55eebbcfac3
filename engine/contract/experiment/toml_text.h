// Changes values in a TOML text and keeps the rest, including comments, as the user wrote it.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace contract {

/// Returns @p toml with @p key set to its value in @p experiment: the line is replaced, added to its table, or removed
/// when the value is the default. If the edited text does not parse to exactly @p experiment (inline tables, dotted
/// keys), returns the whole text regenerated from @p experiment, without the user's comments.
/// @param key must be a declared option. @param baseFolder the folder that relative paths in the text refer to.
std::string withValue(std::string_view toml, std::string_view key, const Experiment& experiment,
    const std::filesystem::path& baseFolder);

/// The same with every option in which @p toml, which must have no problems, differs from @p experiment.
std::string withValuesOf(std::string_view toml, const Experiment& experiment, const std::filesystem::path& baseFolder);

}  // namespace contract

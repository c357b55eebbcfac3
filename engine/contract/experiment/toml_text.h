// Changes values in a TOML text and keeps the rest, including comments, as the user wrote it.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Returns @p toml with @p keys set to their values in @p experiment: a line is replaced, added to its table, or removed
/// when the value is the default. If the edited text does not parse to exactly @p experiment (inline tables, dotted
/// keys), returns the whole text regenerated from @p experiment, without the user's comments.
/// @param keys must be declared options. @param baseFolder the folder that relative paths in the text refer to.
std::string withValues(std::string_view toml, const std::vector<std::string_view>& keys, const Experiment& experiment,
    const std::filesystem::path& baseFolder);

/// Returns @p toml, which must have no problems, with those values changed that make it @p experiment, as withValues() does.
std::string asExperiment(std::string_view toml, const Experiment& experiment, const std::filesystem::path& baseFolder);

}  // namespace contract

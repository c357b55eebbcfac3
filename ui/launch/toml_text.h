// Changes one value in a TOML text and leaves the rest, comments included, as the user wrote it.
#pragma once
#include "engine/contract/experiment.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace ui {

/// @p toml with @p key as in @p experiment: its line replaced, added to its table, or taken out when the
/// value is the default. Text that this cannot change reliably (inline tables, dotted keys) is written
/// anew from @p experiment: the result always reads back as @p experiment when it was right before.
/// @param baseFolder what the text's relative paths are relative to.
std::string withValue(std::string_view toml, std::string_view key, const contract::Experiment& experiment,
    const std::filesystem::path& baseFolder);

}  // namespace ui

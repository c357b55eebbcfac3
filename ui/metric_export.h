// Writes the metrics of a run to a file.
#pragma once
#include <QString>

#include <filesystem>
#include <string>

namespace ui {

/// Writes every value in the index to @p file: as JSON if its name ends in ".json", for TensorBoard into a new folder if it ends
/// in ".tensorboard", else as CSV. A file that is there is replaced when all has been written. Takes long; call it on a background thread.
/// @return why it could not be written, in one sentence; empty: it was.
QString writeMetrics(const std::filesystem::path& database, const std::string& runId, const QString& file);

}  // namespace ui

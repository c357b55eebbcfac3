// Exports a run's metrics as text from which the journalled numbers can be read back bit for bit.
#pragma once
#include "storage/store.h"

#include <functional>
#include <string>
#include <string_view>

namespace storage {

using Write = std::function<void(std::string_view)>;

/// Writes the header line "metric,rank,attempt,step,t_ms,value,superseded", then one line for each value.
void exportCsv(const Store& store, const std::string& runId, const Write& write);

/// Writes {"run":…,"attempts":[ATTEMPT,…],"columns":[…],"series":[SERIES,…]} where ATTEMPT is {"attempt":…,"start_unix_ms":…,"parent_step":…}
/// and SERIES is {"metric":…,"rank":…,"attempt":…,"points":[[step,t_ms,value,superseded],…]}. The times t_ms count from the attempt's start.
/// Non-finite values are the strings "NaN", "Infinity" and "-Infinity".
void exportJson(const Store& store, const std::string& runId, const Write& write);

}  // namespace storage

// A run's metrics as text that gives back the journalled numbers bit for bit.
#pragma once
#include "storage/store.h"

#include <functional>
#include <string>
#include <string_view>

namespace app {

using Write = std::function<void(std::string_view)>;

/// metric,rank,attempt,step,t_ms,value,superseded with a line of these names first.
void exportCsv(const storage::Store& store, const std::string& runId, const Write& write);

/// {"run":…,"columns":[…],"series":[{"metric":…,"rank":…,"attempt":…,"points":[[step,t_ms,value,superseded],…]}]};
/// non-finite values as "NaN", "Infinity", "-Infinity".
void exportJson(const storage::Store& store, const std::string& runId, const Write& write);

}  // namespace app

// What the queue has to tell, as alerts like those of the store.
#pragma once
#include "launcher/queue/queue.h"
#include "storage/store.h"

#include <functional>
#include <string>
#include <vector>

namespace ui {

/// The alerts of @p queue, newest first, of runs that are there or still wait in it: a run that was removed leaves no alerts behind.
std::vector<storage::AlertRow> queueAlerts(const launcher::Queue& queue, const std::function<bool(const std::string& run)>& isThere);

}  // namespace ui

// What the machine did while a run ran, as metrics: their titles and units, and the plots they share.
// Names: contract::metric::kHostPrefix.
#pragma once
#include "ui/plot/layout/plot_groups.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

bool isSystemMetric(std::string_view name);
/// "GPU 0 load"; the name itself for one that is not known.
QString systemTitle(const std::string& name);
Unit systemUnit(std::string_view name);

/// The plots of those of @p runs' metrics that are the machine's: of each GPU load, memory, power, temperature and throttling, then of
/// the processors, the memory and the disk.
std::vector<PlotGroup> systemGroups(const std::vector<RunInfo>& runs);

}  // namespace ui

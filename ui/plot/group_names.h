// What groups of runs are called.
#pragma once
#include "ui/plot/canvas/drawn_line.h"
#include "ui/plot/lines/grouping.h"
#include "ui/plot/lines/line_loader.h"

#include <QString>

#include <vector>

namespace ui {

/// The groups of @p runs, in their order, each with the look of its first run. "lr=1e-4"; the number of runs is the line's to add.
/// @param looks of the runs
std::vector<DrawnRunName> groupNames(const std::vector<RunInfo>& runs, const std::vector<DrawnRunName>& looks, const Grouping& grouping);

/// "min–max", "± standard deviation".
QString bandName(Grouping::Band band);
/// "Each run, over its ranks", "optim.lr", "Project" …
QString groupingName(const Grouping& grouping);
/// One sentence that says what the lines are and at which steps they have points.
QString groupingSentence(const Grouping& grouping);

}  // namespace ui

// What the palette offers: the window's actions, the saved views, the runs, the metrics that any run has, and the options of experiments.
#pragma once
#include "ui/palette/palette_model.h"
#include "ui/workbench.h"

#include <QStringList>

#include <vector>

namespace ui {

/// The actions first, in the order in which they are registered; then the saved views of these names; then the runs, the newest first, the metrics and the options.
std::vector<PaletteEntry> paletteEntries(const Workbench& workbench, const QStringList& views);

}  // namespace ui

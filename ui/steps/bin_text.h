// Where on the x axis bins of a chart over steps lie, in words.
#pragma once
#include "ui/plot/lines/plot_settings.h"

#include <QString>

#include <cstdint>

namespace ui {

/// What @p count bins from @p first on cover, see StepBins: "12" or "12 to 15" of steps and samples, "1.25 to 1.28" of epochs, "2:05.0 to 2:05.5" of
/// active time, "11/26/26 14:02:05 to 11/26/26 14:02:09" of wall time.
QString binText(std::int64_t first, std::int64_t count, std::int64_t width, XAxis axis);
/// The same within a sentence: "step 12", "steps 12 to 15", "Samples seen 640 to 703".
QString binWords(std::int64_t first, std::int64_t count, std::int64_t width, XAxis axis);

}  // namespace ui

#include "ui/plot/lines/delta_line.h"

#include <vector>

namespace ui {

void DeltaLine::extend()
{
    const auto steps = source->points.steps();
    const auto baselineSteps = baseline->points.steps();
    const auto values = source->points.raw().values();
    const auto baselineValues = baseline->points.raw().values();
    std::vector<storage::Point> points;
    const LinePiece* piece = nullptr;
    const auto append = [&] {
        if (!points.empty())
            line->points.append(*piece, points);
        points.clear();
    };
    while (sourceDone < steps.size() && baselineDone < baselineSteps.size()) {
        if (steps[sourceDone] < baselineSteps[baselineDone]) {
            ++sourceDone;
        } else if (steps[sourceDone] > baselineSteps[baselineDone]) {
            ++baselineDone;
        } else {
            const LinePiece& own = source->points.piece(sourceDone);
            if (piece != &own)
                append();
            piece = &own;
            const double activeSeconds = source->points.x(sourceDone, XAxis::ActiveTime);
            points.push_back({steps[sourceDone], (activeSeconds - own.activeSeconds) * 1000,
                values[sourceDone] - baselineValues[baselineDone]});
            ++sourceDone;
            ++baselineDone;
        }
    }
    append();
}

}  // namespace ui

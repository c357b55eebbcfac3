// The mean of several lines, with its band: see [Note: groups] in grouping.h.
#pragma once
#include "ui/plot/lines/grouping.h"
#include "ui/plot/lines/line_data.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ui {

struct GroupLine {
    /// @param sources at least one
    /// @param key of the mean; the edges of the band have the same one with another part
    GroupLine(std::vector<std::shared_ptr<const LineData>> sources, const LineKey& key, Grouping::Band band);

    std::vector<std::shared_ptr<const LineData>> sources;
    Grouping::Band band;
    std::shared_ptr<LineData> mean, low, high;

    /// How many points extend() has to look at.
    std::size_t pointsToDo() const;
    /// Appends the points of the steps that all sources have by now.
    void extend();
    /// Replaces the three lines by copies.
    void detach();

private:
    /// Points of one piece that are yet to be appended.
    struct Batch {
        LinePiece piece;
        std::vector<storage::Point> mean, low, high;
    };
    bool goToNextStep();
    LinePiece pieceHere(const Batch& batch) const;
    double meanTime(XAxis axis) const;
    StepScale meanScale(StepScale LinePiece::*scale) const;
    void add(Batch& batch) const;
    void flush(Batch& batch);

    std::vector<std::size_t> m_done;  ///< by source: how many of its points have been taken into account
};

}  // namespace ui

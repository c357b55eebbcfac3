// All points of a part of a line that is too long to be held whole, so that what is looked at closely is exact.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ui {

struct LineDetail {
    XAxis axis = XAxis::Step;
    Interval x;  ///< the part, which ends where the line did when it was read
    LinePoints points;

    /// Whether all points that @p line has within @p visible are here.
    bool covers(const LineData& line, XAxis visibleAxis, const Interval& visible) const;

    /// Adds what was just appended to @p line, if the detail reached up to what was its end. No-op otherwise.
    /// @param endBefore the last step of the line before
    void extend(const LineData& line, std::int64_t endBefore, const LinePiece& piece, std::span<const storage::Point> appended);
};

/// What to read of a line: the steps that lie within a part of x.
struct DetailRequest {
    LineKey key;
    std::vector<LinePiece> pieces;
    XAxis axis = XAxis::Step;
    Interval x;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = -1;
};

/// @param line with at least one point. The points next to @p x belong to the request, too: lines lead to them.
DetailRequest detailRequest(const LineData& line, XAxis axis, const Interval& x);

/// nullopt when there are more than @p mostPoints. @throws storage::StoreError.
std::optional<LineDetail> loadDetail(const storage::Store& store, const DetailRequest& request, std::int64_t mostPoints);

}  // namespace ui

// Reduces a line to what its pixels can show, without changing a pixel.
//
// [Note: thinning]
// A view is a grid of pixel columns. Of the points in one column a drawing can only show where the line comes
// in, where it goes out and how far it reaches: first, least, greatest, last. Those four stand for all of
// them, exactly, whatever the zoom. Where a column holds few points they are all kept.
#pragma once
#include "ui/plot/line_data.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace ui {

struct ColumnGrid {
    Interval x;
    int columns = 1;

    /// The column of @p x; below 0 or at least `columns` outside of the grid.
    double columnOf(double value) const { return std::floor((value - x.lower) / x.size() * columns); }
};

struct Vertex {
    double x = 0;
    double y = 0;  ///< NaN: the line breaks here
};

struct ThinnedLine {
    std::vector<Vertex> vertices;
    bool isEveryPoint = true;        ///< false: columns, by four values each
    std::size_t points = 0;          ///< of the line, in the grid
    std::size_t notPositive = 0;     ///< of those, left out of a logarithmic axis
    std::vector<double> nonFinite;   ///< x's, at most one a column
};

/// How many pixels wide columns are while a gesture goes on: with many lines wider ones, as many as a frame has time
/// for. They still reach from the least to the greatest value of the points in them. @param width in pixels.
int movingColumnPixels(std::size_t lines, int width);

/// @param curve raw or smoothed, of @p points. A point to either side of the grid is added, so that the line
/// runs to the edges.
ThinnedLine thinned(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale,
    const ColumnGrid& grid);

}  // namespace ui

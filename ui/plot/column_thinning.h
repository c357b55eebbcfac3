// Reduces a line to the vertices needed to draw it, without changing any pixel.
//
// [Note: thinning]
// A plot is a grid of pixel columns. Of the points in one column, a drawing shows only where the line enters,
// where it leaves, and its lowest and highest value. So each column is drawn from four values (first, minimum,
// maximum, last), which gives the same image as drawing all points, at any zoom. Columns with few points keep
// all of them.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace ui {

struct ColumnGrid {
    Interval x;
    int columns = 1;

    /// The column that contains x = @p value; less than 0 or at least `columns` when it is outside the grid.
    double columnOf(double value) const { return std::floor((value - x.lower) / x.size() * columns); }
};

struct Vertex {
    double x = 0;
    double y = 0;  ///< NaN: the line is interrupted here
};

struct ThinnedLine {
    std::vector<Vertex> vertices;
    bool isEveryPoint = true;        ///< false: the points were reduced to four values per column
    std::size_t points = 0;          ///< number of the line's points inside the grid
    std::size_t notPositive = 0;     ///< how many of them a logarithmic axis cannot show
    std::vector<double> nonFinite;   ///< x values of NaN and infinite points, at most one per column
};

/// The width of a column, in pixels, during a gesture. It grows with the number of lines, so that a frame is
/// drawn in time. Wider columns still span the minimum to the maximum of their points.
/// @param width the plot's width in pixels.
int movingColumnPixels(std::size_t lines, int width);

/// Thins the part of a line inside @p grid. One point beyond each side of the grid is added, so that the line
/// runs to the edges.
/// @param curve the raw or smoothed values of @p points.
ThinnedLine thinned(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale,
    const ColumnGrid& grid);

}  // namespace ui

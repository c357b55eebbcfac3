// Dots in the cells of a terminal: two beside each other and four below each other in each cell, as braille characters.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace app {

class DotCanvas {
public:
    static constexpr int kDotsAcross = 2;
    static constexpr int kDotsDown = 4;

    DotCanvas(int columns, int rows);

    int width() const { return m_columns * kDotsAcross; }  ///< in dots
    int height() const { return m_rows * kDotsDown; }

    /// Dots outside the canvas are left out.
    void set(int x, int y);
    /// Sets the dots from one point to another.
    void line(int fromX, int fromY, int toX, int toY);

    bool isEmpty(int column, int row) const { return m_cells[indexOf(column, row)] == 0; }
    /// The braille character of a cell, a space for an empty one.
    std::string cell(int column, int row) const;

private:
    std::size_t indexOf(int column, int row) const { return static_cast<std::size_t>(row * m_columns + column); }

    int m_columns;
    int m_rows;
    std::vector<std::uint8_t> m_cells;  ///< the dots of each cell, as the low byte of its braille character
};

}  // namespace app

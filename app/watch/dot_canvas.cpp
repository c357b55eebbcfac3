#include "app/watch/dot_canvas.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace app {

DotCanvas::DotCanvas(int columns, int rows)
    : m_columns(std::max(columns, 1))
    , m_rows(std::max(rows, 1))
    , m_cells(static_cast<std::size_t>(m_columns * m_rows), 0)
{
}

void DotCanvas::set(int x, int y)
{
    constexpr std::array<std::array<std::uint8_t, kDotsAcross>, kDotsDown> kBits = {{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    if (x < 0 || y < 0 || x >= width() || y >= height())
        return;
    std::uint8_t& cell = m_cells[indexOf(x / kDotsAcross, y / kDotsDown)];
    cell = static_cast<std::uint8_t>(cell | kBits.at(static_cast<std::size_t>(y % kDotsDown)).at(static_cast<std::size_t>(x % kDotsAcross)));
}

void DotCanvas::line(int fromX, int fromY, int toX, int toY)
{
    const int length = std::max({std::abs(toX - fromX), std::abs(toY - fromY), 1});
    const auto between = [length](int from, int to, int at) {  // rounded to the nearest dot
        const int distance = (to - from) * at;
        return from + (2 * distance + (distance < 0 ? -length : length)) / (2 * length);
    };
    for (int at = 0; at <= length; ++at)
        set(between(fromX, toX, at), between(fromY, toY, at));
}

std::string DotCanvas::cell(int column, int row) const
{
    const std::uint8_t dots = m_cells[indexOf(column, row)];
    if (dots == 0)
        return " ";
    // U+2800 + dots in UTF-8
    return {'\xE2', static_cast<char>(0xA0 | dots >> 6U), static_cast<char>(0x80 | (dots & 0x3FU))};
}

}  // namespace app

// A line of a page: pieces of text, each in a style.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// displayWidth() as the layout counts.
int cellsOf(std::string_view text);

enum class Style { Plain, Bold, Dim, Good, Bad, Warning, Curve, Bar };

class StyledLine {
public:
    /// @param text as printable() returns it
    StyledLine& add(std::string_view text, Style style = Style::Plain);
    /// Appends spaces up to the cell @p column. No-op when the line is longer.
    StyledLine& padTo(int column);
    StyledLine& add(const StyledLine& other);
    /// Leaves the first @p cells cells.
    StyledLine& cutTo(int cells);

    int cells() const { return m_cells; }

    struct Look {
        bool hasColor = true;   ///< colors besides bold and faint text
        bool hasStyles = true;  ///< false: the text alone
        bool isUtf8 = true;     ///< false: ASCII only
    };
    /// The line with the terminal's control sequences for its styles, cut to @p columns cells. Ends in the plain style.
    std::string text(int columns, const Look& look) const;

private:
    struct Piece {
        std::string text;
        Style style;
    };
    std::vector<Piece> m_pieces;
    int m_cells = 0;
};

}  // namespace app

#include "app/watch/styled_line.h"

#include "app/cli/format.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

namespace app {
namespace {

/// The parameters of the control sequence "select graphic rendition".
const char* parametersOf(Style style, bool hasColor)
{
    switch (style) {
    case Style::Bold:
        return "1";
    case Style::Dim:
        return "2";
    case Style::Good:
        return hasColor ? "32" : "";
    case Style::Bad:
        return hasColor ? "1;31" : "1";
    case Style::Warning:
        return hasColor ? "33" : "1";
    case Style::Curve:
        return hasColor ? "36" : "";
    case Style::Bar:
        return hasColor ? "34" : "";
    case Style::Plain:
        break;
    }
    return "";
}

char asciiFor(std::int32_t code)
{
    constexpr std::array<std::pair<std::int32_t, char>, 14> kSimilar = {{{U'│', '|'}, {U'┤', '|'}, {U'─', '-'}, {U'└', '+'}, {U'·', '-'},
        {U'…', '.'}, {U'█', '#'}, {U'░', '.'}, {U'●', '*'}, {U'✓', '+'}, {U'✗', 'x'}, {U'■', '#'}, {U'←', '<'}, {U'→', '>'}}};
    if (code < 0x80)
        return static_cast<char>(code);
    if (code >= 0x2800 && code <= 0x28FF) {
        const bool isUpper = (code & 0x1B) != 0, isLower = (code & 0xE4) != 0;
        return isUpper && isLower ? ':' : isUpper ? '\'' : isLower ? '.' : ' ';
    }
    const auto similar = std::ranges::find(kSimilar, code, &std::pair<std::int32_t, char>::first);
    return similar != kSimilar.end() ? similar->second : '?';
}

/// @p text in ASCII, cell by cell: lines and braille dots become similar characters.
std::string asciiText(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        utf8proc_int32_t code = 0;
        const auto length = utf8proc_iterate(
            reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &code);
        out.append(static_cast<std::size_t>(std::max(0, utf8proc_charwidth(code))), asciiFor(code));
        text.remove_prefix(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1)));
    }
    return out;
}

}  // namespace

int cellsOf(std::string_view text) { return static_cast<int>(displayWidth(text)); }

StyledLine& StyledLine::add(std::string_view text, Style style)
{
    if (text.empty())
        return *this;
    if (!m_pieces.empty() && m_pieces.back().style == style)
        m_pieces.back().text += text;
    else
        m_pieces.push_back({std::string(text), style});
    m_cells += cellsOf(text);
    return *this;
}

StyledLine& StyledLine::padTo(int column)
{
    return add(std::string(static_cast<std::size_t>(std::max(column - m_cells, 0)), ' '));
}

StyledLine& StyledLine::add(const StyledLine& other)
{
    for (const Piece& piece : other.m_pieces)
        add(piece.text, piece.style);
    return *this;
}

StyledLine& StyledLine::cutTo(int cells)
{
    StyledLine cut;
    for (const Piece& piece : m_pieces)
        cut.add(firstCells(piece.text, static_cast<std::size_t>(std::max(cells - cut.m_cells, 0))), piece.style);
    return *this = cut;
}

std::string StyledLine::text(int columns, const Look& look) const
{
    std::string out;
    for (const Piece& piece : m_pieces) {
        const std::string part = firstCells(piece.text, static_cast<std::size_t>(std::max(columns, 0)));
        columns -= cellsOf(part);
        const std::string_view parameters = look.hasStyles ? parametersOf(piece.style, look.hasColor) : "";
        const std::string shown = look.isUtf8 ? part : asciiText(part);
        if (parameters.empty())
            out += shown;
        else
            out.append("\033[").append(parameters).append("m").append(shown).append("\033[0m");
        if (part.size() < piece.text.size())
            break;
    }
    return out;
}

}  // namespace app

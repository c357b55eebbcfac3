// The terminal while a page is shown in it: full screen, without echo, repainted where lines have changed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <termios.h>

namespace app {

struct TerminalSize {
    int columns = 80;
    int rows = 24;
    bool operator==(const TerminalSize&) const = default;
};

/// Whether standard output is a terminal that can place the cursor.
bool isFullScreenTerminal();
/// Of the terminal at standard output; $COLUMNS and $LINES, else 80×24, when it is none or does not say.
TerminalSize terminalSize();
/// Whether the locale's character set is UTF-8.
bool isUtf8Locale();

class Terminal {
public:
    /// Shows an empty page in the place of what the terminal shows. Keys are then read without echo; Ctrl+C still sends SIGINT.
    Terminal();
    /// Brings back what the terminal showed, and its former settings.
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Paints the lines that differ from the last page's.
    /// @param lines at most as many as the terminal has rows, none wider than it
    /// @return false when the terminal cannot be written to any more
    bool paint(const std::vector<std::string>& lines);
    /// The next paint() paints every line, as after a change of the terminal's size.
    void forget() { m_painted.clear(); }

    /// For the time in which another program has the terminal: what the destructor and the constructor do.
    void leave();
    void enter();

private:
    bool m_hasSettings = false;
    termios m_former {};
    std::vector<std::string> m_painted;
};

}  // namespace app

#include "app/watch/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>

namespace app {
namespace {

bool writeAll(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
        if (count < 0 && errno != EINTR)
            return false;
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return true;
}

int fromEnvironment(const char* name, int otherwise)
{
    constexpr int kMost = 1000;
    const char* value = std::getenv(name);
    const int number = value ? std::atoi(value) : 0;
    return number > 0 ? std::min(number, kMost) : otherwise;
}

}  // namespace

bool isFullScreenTerminal()
{
    const char* kind = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) == 1 && kind && *kind && std::string_view(kind) != "dumb";
}

TerminalSize terminalSize()
{
    winsize size {};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
        return {size.ws_col, size.ws_row};
    return {fromEnvironment("COLUMNS", 80), fromEnvironment("LINES", 24)};
}

bool isUtf8Locale()
{
    const std::string former = std::setlocale(LC_CTYPE, nullptr);
    std::setlocale(LC_CTYPE, "");
    const bool isUtf8 = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
    std::setlocale(LC_CTYPE, former.c_str());
    return isUtf8;
}

Terminal::Terminal() { enter(); }

Terminal::~Terminal() { leave(); }

void Terminal::enter()
{
    m_hasSettings = ::tcgetattr(STDIN_FILENO, &m_former) == 0;
    if (m_hasSettings) {
        termios settings = m_former;
        settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
        settings.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
        settings.c_cc[VMIN] = 0;
        settings.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSANOW, &settings);
    }
    // The other screen, no cursor, no line breaks at the right edge.
    writeAll("\033[?1049h\033[?25l\033[?7l\033[2J");
    forget();
}

void Terminal::leave()
{
    if (m_hasSettings)
        ::tcsetattr(STDIN_FILENO, TCSANOW, &m_former);
    m_hasSettings = false;
    writeAll("\033[0m\033[?7h\033[?25h\033[?1049l");
}

bool Terminal::paint(const std::vector<std::string>& lines)
{
    std::string out;
    if (m_painted.empty())
        out += "\033[2J";
    for (std::size_t row = 0; row < std::max(lines.size(), m_painted.size()); ++row) {
        const std::string_view line = row < lines.size() ? std::string_view(lines[row]) : "";
        if (row < m_painted.size() ? m_painted[row] == line : line.empty())
            continue;
        // Erased first: after a line as wide as the terminal the cursor stands on its last character.
        out.append("\033[").append(std::to_string(row + 1)).append(";1H\033[K").append(line);
    }
    m_painted = lines;
    return out.empty() || writeAll(out);
}

}  // namespace app

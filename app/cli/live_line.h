// A status line at the bottom of a terminal that is redrawn in place, with messages above it.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace app {

/// When the output is not a terminal, a new line is printed every few seconds instead.
class LiveLine {
public:
    explicit LiveLine(std::FILE* stream);
    ~LiveLine();  ///< ends the line, so that the shell's prompt appears below it
    LiveLine(const LiveLine&) = delete;
    LiveLine& operator=(const LiveLine&) = delete;

    void show(const std::string& text);        ///< replaces the line; redraws it at a limited rate
    void addMessage(const std::string& text);  ///< prints a message above the line
    /// Prints the last text, whatever the rate limit, and ends the line.
    void finish();

private:
    void print(const std::string& text);
    void erase();

    std::FILE* m_stream;
    bool m_isTerminal;
    bool m_isDrawn = false;
    std::string m_text;     ///< from the last show()
    std::string m_printed;  ///< the text that was printed last
    std::chrono::steady_clock::time_point m_nextPrint;
};

}  // namespace app
